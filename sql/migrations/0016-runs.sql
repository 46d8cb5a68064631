-- breaking: an older program plans and begins runs without these rows.

-- What is planned or runs: one row for each such occurrence, in one table whatever the partition of the occurrence.
-- The transaction of a run locks its row, and nobody else can: a run whose row is free for longer than 2 s is over.
CREATE TABLE settled.run (
  schedule text NOT NULL,
  instant timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  is_own boolean NOT NULL,           -- of the daemon's own schedules
  is_first boolean NOT NULL,         -- of its schedule: it goes on, or is the next to begin
  started_at timestamptz,            -- business time
  claimed_at timestamptz,            -- real time
  backend integer,                   -- the server process that an operator's function was handed to
  CONSTRAINT run_once PRIMARY KEY (schedule, instant),
  CONSTRAINT run_claimed CHECK ((claimed_at IS NULL) = (started_at IS NULL) AND (claimed_at IS NULL OR is_first)),
  CONSTRAINT run_backend CHECK (backend IS NULL OR claimed_at IS NOT NULL)
);
CREATE UNIQUE INDEX run_first ON settled.run (schedule) WHERE is_first;
CREATE INDEX run_next ON settled.run (is_own, due_at) WHERE is_first AND claimed_at IS NULL;
CREATE INDEX run_under_way ON settled.run (backend) WHERE claimed_at IS NOT NULL;

INSERT INTO settled.run (schedule, instant, due_at, is_own, is_first, started_at, claimed_at)
SELECT o.schedule, o.instant, o.due_at, s.call IS NULL,
  row_number() OVER (PARTITION BY o.schedule ORDER BY o.status = 'planned', o.instant) = 1,
  CASE o.status WHEN 'running' THEN o.started_at END, CASE o.status WHEN 'running' THEN o.claimed_at END
FROM settled.occurrence AS o LEFT JOIN settled.schedule AS s ON s.name = o.schedule
WHERE o.status = 'running' OR o.status = 'planned' AND s.name IS NOT NULL;

ALTER TABLE settled.occurrence DROP COLUMN backend;
DROP INDEX settled.occurrence_planned;
DROP INDEX settled.occurrence_running;
DROP TRIGGER IF EXISTS bell ON settled.occurrence;
DROP FUNCTION IF EXISTS settled.occurrence_backend(bigint);

-- The planner asks for what ticks next.
CREATE INDEX schedule_next_tick ON settled.schedule (next_tick_at) WHERE NOT paused;
