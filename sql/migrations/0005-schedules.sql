-- Schedules: what ticks, by which definition at which time, and the ledger of every tick.

-- A schedule as it is now. The daemon's own have no call: the action of their name is in the program.
CREATE TABLE settled.schedule (
  name text PRIMARY KEY,
  cron text,
  at timestamptz,
  zone text NOT NULL REFERENCES settled.time_zone (name),
  call text,                     -- a function without arguments: schema.function()
  missed text NOT NULL,
  runs_max integer,
  within interval,
  timeout interval NOT NULL,
  splay interval NOT NULL,
  paused boolean NOT NULL DEFAULT false,
  cursor_at timestamptz NOT NULL,    -- every tick up to here has its row
  next_tick_at timestamptz,          -- the first after it, if there is one
  CONSTRAINT schedule_name CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$'),
  CONSTRAINT schedule_timing CHECK ((cron IS NULL) <> (at IS NULL)),
  CONSTRAINT schedule_missed CHECK (missed IN ('skip', 'once', 'all')
    AND (missed = 'all') = (runs_max IS NOT NULL AND within IS NOT NULL)),
  CONSTRAINT schedule_spans CHECK (timeout > interval '0' AND splay >= interval '0'),
  CONSTRAINT schedule_next CHECK (next_tick_at > cursor_at)
);

-- Which definition held when: ticks later than valid_from and not later than valid_to. What the audit judges by.
-- offsets: how the zone stood to UTC by the tz data of a period that ended because that data changed.
CREATE TABLE settled.schedule_period (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  schedule text NOT NULL,
  cron text,
  at timestamptz,
  zone text NOT NULL,
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  offsets jsonb,
  CONSTRAINT schedule_period_order CHECK (valid_from <= valid_to)
);
CREATE UNIQUE INDEX schedule_period_open ON settled.schedule_period (schedule) WHERE valid_to IS NULL;
CREATE INDEX schedule_period_of ON settled.schedule_period (schedule, valid_from);

-- Every tick, once.
CREATE TABLE settled.occurrence (
  id bigint GENERATED ALWAYS AS IDENTITY,
  schedule text NOT NULL,
  instant timestamptz NOT NULL,
  status text NOT NULL,
  reason text,
  backfilled boolean NOT NULL DEFAULT false,
  planned_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,       -- instant and splay
  started_at timestamptz,
  finished_at timestamptz,
  node text,
  claimed_at timestamptz,            -- real time
  backend integer,                   -- the server process that runs an operator's function
  rows bigint,
  CONSTRAINT occurrence_once PRIMARY KEY (schedule, instant),
  CONSTRAINT occurrence_status CHECK (status IN ('planned', 'running', 'ran', 'skipped', 'coalesced', 'failed')),
  CONSTRAINT occurrence_running CHECK (status <> 'running'
    OR started_at IS NOT NULL AND node IS NOT NULL AND claimed_at IS NOT NULL),
  CONSTRAINT occurrence_ended CHECK ((finished_at IS NULL) = (status IN ('planned', 'running'))),
  CONSTRAINT occurrence_reason CHECK (reason IS NOT NULL OR status IN ('planned', 'running', 'ran'))
) PARTITION BY RANGE (instant);
CREATE TABLE settled.occurrence_default PARTITION OF settled.occurrence DEFAULT;
CREATE INDEX occurrence_id ON settled.occurrence (id);
CREATE INDEX occurrence_instant ON settled.occurrence (instant);
CREATE INDEX occurrence_planned ON settled.occurrence (schedule, instant) WHERE status = 'planned';
CREATE INDEX occurrence_running ON settled.occurrence (schedule) WHERE status = 'running';

-- From when on the ledger is complete: moved on by pruning.
CREATE TABLE settled.occurrence_history (
  only_row boolean PRIMARY KEY DEFAULT true,
  kept_from timestamptz NOT NULL DEFAULT 'epoch',
  CONSTRAINT occurrence_history_only_row CHECK (only_row)
);
INSERT INTO settled.occurrence_history DEFAULT VALUES;

-- How each zone in use stands to UTC in the years ahead: a new version of the tz data shows in it.
CREATE TABLE settled.zone_future (
  zone text PRIMARY KEY,
  known_from timestamptz NOT NULL,
  offsets jsonb NOT NULL             -- [[start, offset], ...] in seconds
);
