-- Team talks: what coaches tell their team, how it answers, and who has read it. Source of the rules: rules/seasons.md.

-- People as the app names them. A long name would not fit a tree.
CREATE TABLE seasons.app_user (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  username text NOT NULL,
  display_name text NOT NULL,
  role text NOT NULL,
  runner_id bigint REFERENCES seasons.runner,
  CONSTRAINT app_user_username EXCLUDE USING hash (username WITH =),
  CONSTRAINT app_user_names CHECK (length(username) BETWEEN 1 AND 10000 AND length(display_name) BETWEEN 1 AND 10000),
  CONSTRAINT app_user_role CHECK (role IN ('coach', 'runner'))
);

CREATE TABLE seasons.team_talk (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  author text NOT NULL,
  season text NOT NULL,
  year integer NOT NULL,
  title text NOT NULL,
  content text NOT NULL,
  team text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT team_talk_uuid UNIQUE (uuid),
  CONSTRAINT team_talk_season CHECK (season IN ('xc', 'track')),
  CONSTRAINT team_talk_year CHECK (year BETWEEN 0 AND 9999),
  CONSTRAINT team_talk_team CHECK (team IN ('UA', 'NU'))
);
CREATE INDEX team_talk_of_season ON seasons.team_talk (season, year, id);

CREATE TABLE seasons.reaction (
  talk_id bigint NOT NULL,
  emoji text NOT NULL,
  user_id bigint NOT NULL,
  reacted_at timestamptz NOT NULL,
  CONSTRAINT reaction_once PRIMARY KEY (talk_id, emoji, user_id),
  CONSTRAINT reaction_emoji CHECK (length(emoji) BETWEEN 1 AND 64)
);
CREATE INDEX reaction_of_user ON seasons.reaction (talk_id, user_id);

-- Replies name their parent; depth 0 is a comment on the talk itself.
CREATE TABLE seasons.comment (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  talk_id bigint NOT NULL,
  user_id bigint NOT NULL,
  message text NOT NULL,
  parent_id bigint,
  depth integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT comment_uuid UNIQUE (uuid),
  CONSTRAINT comment_message CHECK (length(message) BETWEEN 1 AND 10000),
  CONSTRAINT comment_depth CHECK (depth BETWEEN 0 AND 8 AND (depth = 0) = (parent_id IS NULL))
);
CREATE INDEX comment_of_talk ON seasons.comment (talk_id, id);

-- Every view, in a partition for each month, until seasons.view_retention. No reference to the talk: all who view it at once
-- would lock the same row.
CREATE TABLE seasons.view (
  id bigint GENERATED ALWAYS AS IDENTITY,
  talk_id bigint NOT NULL,
  user_id bigint NOT NULL,
  display_name text NOT NULL,
  team text,
  viewed_at timestamptz NOT NULL
) PARTITION BY RANGE (viewed_at);
CREATE TABLE seasons.view_default PARTITION OF seasons.view DEFAULT;

-- Views that the roll-up has not yet counted. What follows is what it has counted.
CREATE TABLE seasons.uncounted_view (
  id bigint PRIMARY KEY,
  talk_id bigint NOT NULL,
  user_id bigint NOT NULL,
  display_name text NOT NULL,
  viewed_at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX uncounted_view_at ON seasons.uncounted_view (viewed_at, id);
CREATE INDEX uncounted_view_of_talk ON seasons.uncounted_view (talk_id, viewed_at, id);

CREATE TABLE seasons.view_total (
  talk_id bigint PRIMARY KEY,
  views bigint NOT NULL,
  viewers bigint NOT NULL,
  CONSTRAINT view_total_counts CHECK (viewers BETWEEN 0 AND views)
) WITH (fillfactor = 50);
CREATE TABLE seasons.viewer (
  talk_id bigint NOT NULL,
  user_id bigint NOT NULL,
  CONSTRAINT viewer_once PRIMARY KEY (talk_id, user_id)
);
CREATE TABLE seasons.recent_view (
  talk_id bigint NOT NULL,
  viewed_at timestamptz NOT NULL,
  id bigint NOT NULL,
  user_id bigint NOT NULL,
  display_name text NOT NULL,
  CONSTRAINT recent_view_once PRIMARY KEY (talk_id, viewed_at, id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
