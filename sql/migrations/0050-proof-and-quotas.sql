-- Whether what athletes do is proved. A database with athletes goes on as before, until an operator switches it on.
INSERT INTO settled.setting (key, kind, default_value, value, meaning)
  SELECT 'racing.proof', 'switch', 'on', 'off', 'Whether only athletes whom the provider knows enter races, and only their flags count.'
  WHERE EXISTS (SELECT FROM racing.athlete)
ON CONFLICT DO NOTHING;

-- A flag counts or not from the moment in which it is made.
ALTER TABLE racing.flag ADD COLUMN counts boolean NOT NULL DEFAULT true, ADD COLUMN account_digest bytea;
COMMENT ON COLUMN racing.flag.account_digest IS
  'Of the activity and its author''s account at the provider, which flags it once, whoever has it. Null: none.';
COMMENT ON COLUMN racing.flag.counts IS 'Whether it counts towards a review, which its author decided when it was made.';

-- Flags that do not count are kept apart: reviewers see them, and they hold nothing.
ALTER TABLE racing.activity
  ADD COLUMN uncounted_flags integer NOT NULL DEFAULT 0,
  ADD COLUMN approvals integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT activity_uncounted_flags
    CHECK (uncounted_flags >= 0 AND (uncounted_flags = 0 OR status <> 'disqualified')) NOT VALID,
  ADD CONSTRAINT activity_approvals CHECK (approvals >= 0) NOT VALID;
COMMENT ON COLUMN racing.activity.flag_count IS 'Open flags that count.';
COMMENT ON COLUMN racing.activity.flagged_at IS 'The latest flag that counts.';
COMMENT ON COLUMN racing.activity.uncounted_flags IS 'Open flags that do not count.';
COMMENT ON COLUMN racing.activity.approvals IS
  'How often what is measured now was approved: each approval doubles the flags that a review needs.';
ALTER TABLE racing.decision ADD COLUMN measured_hash bytea, ADD COLUMN saw_scores boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN racing.decision.measured_hash IS
  'Of an approval: the digest of what was measured of the activity. Null: decided by a former release.';
COMMENT ON COLUMN racing.decision.saw_scores IS 'Of an approval: whether the activity had its scores.';

-- What an athlete has imported through the gateway on the latest day: one row, however many days there were.
CREATE TABLE racing.import_day (
  athlete_id bigint PRIMARY KEY REFERENCES racing.athlete (id),
  day date NOT NULL,
  imports bigint NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT import_day_counts CHECK (imports > 0 AND bytes >= 0)
);
COMMENT ON TABLE racing.import_day IS 'What each athlete imported through the gateway on the latest day.';
COMMENT ON COLUMN racing.import_day.day IS 'A date of racing.time_zone.';
COMMENT ON COLUMN racing.import_day.imports IS 'Imports that changed something.';
COMMENT ON COLUMN racing.import_day.bytes IS 'Of the bodies of these imports.';

-- The same for points that runners earn by their own tokens.
CREATE TABLE seasons.own_earning_day (
  runner_id bigint NOT NULL REFERENCES seasons.runner (id),
  activity_type text COLLATE "C" NOT NULL,
  day date NOT NULL,
  earnings bigint NOT NULL,
  CONSTRAINT own_earning_day_pkey PRIMARY KEY (runner_id, activity_type),
  CONSTRAINT own_earning_day_earnings CHECK (earnings > 0)
);
COMMENT ON TABLE seasons.own_earning_day IS
  'How often each runner earned points for themselves on the latest day, by type of activity.';
COMMENT ON COLUMN seasons.own_earning_day.day IS 'A date of seasons.time_zone.';

-- Races that were settled lately: streams of their activities are still kept. Settlements wait while the index is made,
-- about a second for some millions of them.
CREATE INDEX settlement_of_time ON racing.settlement (settled_at);
