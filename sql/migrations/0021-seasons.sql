-- Seasons: runners, the points that they earn, and the rewards that a team reaches together. Source of the rules:
-- rules/seasons.md.
--
-- A team's total is kept by versions. Each change of a roster or of a threshold begins a version; points join the version
-- that their transaction saw. So a version's total only grows, and a reward that was reached in one stays reached, whatever
-- is changed or committed later. Only callers for the same runner wait for each other, and changes for changes.
CREATE SCHEMA seasons;

CREATE TABLE seasons.activity_type (
  name text PRIMARY KEY,
  points integer NOT NULL,
  CONSTRAINT activity_type_points CHECK (points > 0)
);
INSERT INTO seasons.activity_type (name, points) VALUES
  ('TRAINING_RUN', 10), ('WORKOUT', 15), ('CROSS_TRAINING', 8), ('MEET_LOG', 20), ('PRE_MEET_LOG', 5),
  ('TEAM_TALK_COMMENT', 3), ('LIFTING', 10);

-- The row's lock makes calls for one runner follow each other.
CREATE TABLE seasons.runner (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  graduating_class integer NOT NULL,
  team text NOT NULL,
  does_xc boolean NOT NULL,
  does_track boolean NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  points bigint NOT NULL DEFAULT 0,              -- all that was ever earned, in seasons and without one
  created_at timestamptz NOT NULL,
  CONSTRAINT runner_name CHECK (length(name) BETWEEN 1 AND 10000),
  CONSTRAINT runner_graduating_class CHECK (graduating_class BETWEEN 1900 AND 2200),
  CONSTRAINT runner_team CHECK (team IN ('UA', 'NU')),
  CONSTRAINT runner_points CHECK (points >= 0)
) WITH (fillfactor = 80);
CREATE INDEX runner_on_roster ON seasons.runner (graduating_class) INCLUDE (does_xc, does_track)
  WHERE is_active AND team = 'UA';
CREATE INDEX runner_by_points ON seasons.runner (points DESC, id) WHERE is_active AND team = 'UA';

-- Changes of rosters and thresholds, one after another: the lock of row 0 is held by the one that is being made.
CREATE TABLE seasons.version (
  number bigint PRIMARY KEY,
  at timestamptz NOT NULL
);
INSERT INTO seasons.version (number, at) VALUES (0, '-infinity');

-- What was earned: never changed. Of a runner, a type and an activity's uuid there is one row. Long texts would not fit an
-- index, so that it holds their digest. Of a reference to a type or a version every caller would lock the same row.
CREATE TABLE seasons.earning (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  runner_id bigint NOT NULL REFERENCES seasons.runner,
  activity_type text NOT NULL,
  activity_uuid text,
  activity_digest bytea,
  points integer NOT NULL,
  season text,
  year integer,
  description text,
  occurred_at timestamptz NOT NULL,
  version bigint,                                -- to whose team total the points belong; null: to none
  CONSTRAINT earning_once UNIQUE (runner_id, activity_type, activity_digest),
  CONSTRAINT earning_digest CHECK ((activity_uuid IS NULL) = (activity_digest IS NULL)),
  CONSTRAINT earning_points CHECK (points > 0),
  CONSTRAINT earning_season CHECK (season IN ('xc', 'track')),
  CONSTRAINT earning_year CHECK (year BETWEEN 0 AND 9999),
  CONSTRAINT earning_version CHECK (version IS NULL OR (season IS NOT NULL AND year IS NOT NULL))
);
CREATE INDEX earning_of_team ON seasons.earning (season, year, occurred_at, id) INCLUDE (points, version)
  WHERE version IS NOT NULL;

-- A runner's points in a season, active or not.
CREATE TABLE seasons.seasonal_total (
  runner_id bigint NOT NULL REFERENCES seasons.runner,
  season text NOT NULL,
  year integer NOT NULL,
  points bigint NOT NULL,
  CONSTRAINT seasonal_total_once PRIMARY KEY (runner_id, season, year),
  CONSTRAINT seasonal_total_points CHECK (points > 0)
) WITH (fillfactor = 80);

-- What a version adds to a team's total: what its change brought or took, then what was earned in it. The total is the sum
-- of these rows and of those of team_change, which the reward-check has not yet added to them.
CREATE TABLE seasons.team_total (
  season text NOT NULL,
  year integer NOT NULL,
  version bigint NOT NULL,
  moved bigint NOT NULL,
  earned bigint NOT NULL,
  CONSTRAINT team_total_once PRIMARY KEY (season, year, version),
  CONSTRAINT team_total_earned CHECK (earned >= 0)
) WITH (fillfactor = 80);
CREATE TABLE seasons.team_change (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  season text NOT NULL,
  year integer NOT NULL,
  version bigint NOT NULL,
  moved bigint NOT NULL DEFAULT 0,
  earned bigint NOT NULL DEFAULT 0,
  at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX team_change_to_check ON seasons.team_change (at, id);
CREATE INDEX team_change_of_season ON seasons.team_change (season, year);

CREATE TABLE seasons.reward (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  season text NOT NULL,
  year integer NOT NULL,
  description text NOT NULL,
  point_threshold bigint NOT NULL,
  display_order integer NOT NULL,
  achieved_date timestamptz,                     -- set once, by the reward-check
  created_by text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT reward_display_order UNIQUE (season, year, display_order),
  CONSTRAINT reward_season CHECK (season IN ('xc', 'track')),
  CONSTRAINT reward_year CHECK (year BETWEEN 0 AND 9999),
  CONSTRAINT reward_point_threshold CHECK (point_threshold > 0)
);

-- The threshold of a reward from a version on, until the next one of the same reward.
CREATE TABLE seasons.threshold (
  reward_id bigint NOT NULL REFERENCES seasons.reward ON DELETE CASCADE,
  version bigint NOT NULL REFERENCES seasons.version,
  points bigint NOT NULL,
  CONSTRAINT threshold_once PRIMARY KEY (reward_id, version),
  CONSTRAINT threshold_points CHECK (points > 0)
);
