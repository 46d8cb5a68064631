-- The server process whose transaction holds a row by its xmax; null when none does any more. Rows of settled.run are
-- locked by one transaction at a time, so theirs is no multixact.
CREATE OR REPLACE FUNCTION settled.row_holder(xmax xid)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT l.pid FROM pg_locks AS l
    WHERE l.locktype = 'transactionid' AND l.transactionid = row_holder.xmax AND l.mode = 'ExclusiveLock' AND l.granted
    LIMIT 1);
END
$$;

-- Makes the first planned tick of each schedule the next to begin, where none is yet. The schedules' rows are locked.
CREATE OR REPLACE FUNCTION settled.promote_runs(schedules text[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  UPDATE settled.run AS r SET is_first = true
  FROM (
    SELECT s.schedule, (SELECT p.instant FROM settled.run AS p WHERE p.schedule = s.schedule ORDER BY p.instant LIMIT 1)
    FROM unnest(promote_runs.schedules) AS s(schedule)
    WHERE NOT EXISTS (SELECT FROM settled.run AS f WHERE f.schedule = s.schedule AND f.is_first)
  ) AS n(schedule, instant)
  WHERE r.schedule = n.schedule AND r.instant = n.instant;
END
$$;

-- Ends a run, with any outcome, and lets the next tick of its schedule begin. First the schedule's row, so that the
-- planner adds no tick meanwhile that this does not see.
CREATE OR REPLACE FUNCTION settled.leave_run(schedule text, instant timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM FROM settled.schedule AS s WHERE s.name = leave_run.schedule FOR NO KEY UPDATE;
  DELETE FROM settled.run AS r WHERE r.schedule = leave_run.schedule AND r.instant = leave_run.instant;
  IF EXISTS (SELECT FROM settled.run AS r WHERE r.schedule = leave_run.schedule) THEN
    PERFORM settled.promote_runs(ARRAY[leave_run.schedule]);
  END IF;
END
$$;

-- Takes the lock that proves a run: of the occurrence that was handed to this server process, and of no other. Without
-- an instant it takes none: it has this server process plan what it will need.
CREATE OR REPLACE FUNCTION settled.begin_occurrence(schedule text, instant timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  PERFORM FROM settled.run AS r
    WHERE r.schedule = begin_occurrence.schedule AND r.instant = begin_occurrence.instant
      AND r.claimed_at IS NOT NULL AND r.backend = pg_backend_pid()
    FOR NO KEY UPDATE;
  IF NOT FOUND AND begin_occurrence.instant IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'occurrence', 'no occurrence was assigned to this session');
  END IF;
END
$$;

-- Ends the occurrence that was handed to this server process, and no other, in the same transaction as the function
-- that ran. Without a number of rows it ends nothing: it has this server process plan what it will need.
CREATE OR REPLACE FUNCTION settled.end_occurrence(rows bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  ended_schedule text;
  ended_instant timestamptz;
  ended bigint;
BEGIN
  -- Locked by this very transaction: see begin_occurrence.
  SELECT r.schedule, r.instant INTO ended_schedule, ended_instant FROM settled.run AS r
    WHERE end_occurrence.rows IS NOT NULL AND r.claimed_at IS NOT NULL AND r.backend = pg_backend_pid()
      AND r.xmax = pg_current_xact_id()::xid;
  -- EXECUTE plans it each time, by an instant that is known then, so that one partition is all that it touches.
  EXECUTE
    'UPDATE settled.occurrence AS o SET status = ''ran'', rows = $3, finished_at = settled.clock()
     WHERE o.schedule = $1 AND o.instant = $2 AND o.status = ''running'''
    USING ended_schedule, ended_instant, end_occurrence.rows;
  GET DIAGNOSTICS ended = ROW_COUNT;
  IF ended = 0 AND end_occurrence.rows IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'occurrence', 'no occurrence was assigned to this session');
  END IF;
  PERFORM settled.leave_run(ended_schedule, ended_instant);
  DELETE FROM settled.problem AS p WHERE p.name = 'schedule ' || ended_schedule;
END
$$;

SELECT settled.declare_callers('settled',
  daemon => '{row_holder, promote_runs, leave_run}',
  schedule => '{begin_occurrence, end_occurrence}');
