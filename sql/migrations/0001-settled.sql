-- The house: clock, settings, zones, events, failures, nodes. No domain knows another; all know these.

-- One row that says what kind of database this is. In a simulated one the clock is whatever was last set.
CREATE TABLE settled.installation (
  only_row boolean PRIMARY KEY DEFAULT true,
  simulated boolean NOT NULL,
  clock_base timestamptz,        -- what the simulated clock was set to
  clock_set_at timestamptz,      -- the real time at which it was
  clock_running boolean NOT NULL DEFAULT false,
  CONSTRAINT installation_only_row CHECK (only_row),
  CONSTRAINT installation_simulated_clock CHECK (simulated = (clock_base IS NOT NULL AND clock_set_at IS NOT NULL)),
  CONSTRAINT installation_real_clock_runs CHECK (simulated OR NOT clock_running)
);

-- Zones that people and settings may name (rules/check-ins.md); filled by every migration from the server's tz data.
CREATE TABLE settled.time_zone (
  name text PRIMARY KEY
);

-- The rules that may be changed while the service runs. value null: the default holds.
CREATE TABLE settled.setting (
  key text PRIMARY KEY,
  kind text NOT NULL,
  default_value text NOT NULL,
  value text,
  low numeric,                   -- span: seconds; percent, whole: the number itself
  high numeric,
  meaning text NOT NULL,
  CONSTRAINT setting_kind CHECK (kind IN ('span', 'spans', 'percent', 'shares', 'whole', 'zone'))
);

INSERT INTO settled.setting (key, kind, default_value, low, high, meaning) VALUES
  ('racing.time_zone', 'zone', 'Europe/London', NULL, NULL, 'Calendar of races and of ages at their start.'),
  ('racing.results_grace', 'span', '1 hour', 0, 2592000, 'Time after the end of a race in which imports still count.'),
  ('racing.entry_cutoff', 'span', '3 hours', 0, 2592000, 'Entries close this long before the end of a race.'),
  ('racing.review_hold', 'span', '72 hours', 0, 2592000, 'Longest time a held activity delays a settlement.'),
  ('racing.flag_threshold', 'whole', '3', 1, 100, 'Open flags that put an activity under review.'),
  ('racing.review_reminders', 'spans', '24 hours,48 hours', 0, 2592000, 'Ages at which an unanswered review rises a level.'),
  ('racing.platform_fee_percent', 'percent', '1', 0, 50, 'Share of the fees that the platform keeps.'),
  ('racing.prize_shares', 'shares', '75,20,5', NULL, NULL, 'Shares of the first three places, which sum to 100.'),
  ('settled.occurrence_retention', 'span', '400 days', 86400, 315360000, 'How long the history of schedules is kept.'),
  ('settled.event_retention', 'span', '90 days', 86400, 315360000, 'How long events are kept for readers.');

-- Events as the domains write them, without a position: they wait here until a daemon numbers them after their commit.
CREATE TABLE settled.event_pending (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic text NOT NULL,
  key text NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz NOT NULL
);

-- Events as readers see them. Positions are given under the lock of the one row of event_counter.
CREATE TABLE settled.event (
  position bigint PRIMARY KEY,
  topic text NOT NULL,
  key text NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz NOT NULL
) PARTITION BY RANGE (position);

CREATE TABLE settled.event_default PARTITION OF settled.event DEFAULT;

CREATE TABLE settled.event_counter (
  only_row boolean PRIMARY KEY DEFAULT true,
  last_position bigint NOT NULL DEFAULT 0,
  pruned_through bigint NOT NULL DEFAULT 0,   -- readers at an older position have missed something
  CONSTRAINT event_counter_only_row CHECK (only_row),
  CONSTRAINT event_counter_order CHECK (pruned_through BETWEEN 0 AND last_position)
);
INSERT INTO settled.event_counter DEFAULT VALUES;

-- Items of jobs that failed and have not succeeded since. Times are real time, never the simulated clock.
CREATE TABLE settled.failure (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job text NOT NULL,
  key text NOT NULL,
  attempts integer NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  next_attempt_at timestamptz NOT NULL,
  quarantined boolean NOT NULL DEFAULT false,
  dropped_at timestamptz,
  dropped_reason text,
  sql_state text,
  error text NOT NULL,
  CONSTRAINT failure_item UNIQUE (job, key),
  CONSTRAINT failure_attempts CHECK (attempts >= 0),
  CONSTRAINT failure_dropped CHECK ((dropped_at IS NULL) = (dropped_reason IS NULL))
);

-- Daemons. asleep is the bell: writers notify only while some node sleeps (NOTIFY locks the whole database at commit).
CREATE TABLE settled.node (
  node text PRIMARY KEY,
  version text NOT NULL,
  started_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  state text NOT NULL,
  asleep boolean NOT NULL DEFAULT false,
  CONSTRAINT node_state CHECK (state IN ('ready', 'degraded', 'draining', 'gone', 'stopped'))
);
