-- What the provider states about an activity and why a review was opened. No activity is read: the migrations
-- activity-indexes and activity-checks do so, without keeping readers out.
ALTER TABLE racing.activity
  ADD COLUMN visibility text NOT NULL DEFAULT 'everyone',
  ADD COLUMN provider_flagged boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT activity_visibility CHECK (visibility IN ('everyone', 'followers_only', 'only_me')) NOT VALID;
COMMENT ON COLUMN racing.activity.visibility IS
  'Who sees it at the provider; only what everyone sees stands in lists of others. Rows from before the column: everyone.';
COMMENT ON COLUMN racing.activity.provider_flagged IS 'Whether the provider has flagged it.';

ALTER TABLE racing.review
  ADD COLUMN reasons text[] NOT NULL DEFAULT '{}',
  ADD COLUMN bounds jsonb NOT NULL DEFAULT '[]',
  ADD CONSTRAINT review_reasons CHECK (reasons <@ '{implausible,provider_flag}'),
  ADD CONSTRAINT review_bounds CHECK (jsonb_typeof(bounds) = 'array');
COMMENT ON COLUMN racing.review.reasons IS 'Why the daemon opened it; empty: for its flags, or for a decision.';
COMMENT ON COLUMN racing.review.bounds IS 'The bounds that scores exceed: score, value and bound in the unit of the score.';
