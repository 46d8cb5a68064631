-- The server process in which the run of an occurrence lives; null when it is over, whatever its row says.
-- A run holds an advisory lock of its transaction (Engine, RunLock): as long as it lives, and not a moment longer.
CREATE OR REPLACE FUNCTION settled.occurrence_backend(id bigint)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT l.pid FROM pg_locks AS l
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
      AND l.classid = 1935961202::oid AND l.objid = (occurrence_backend.id % 2147483647)::oid
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
    LIMIT 1);
END
$$;

-- Ends the occurrence that was handed to this server process, and no other: the one thing that settled_schedule may do
-- beside what operators grant it. In the same transaction as the function that ran. Without a number of rows it ends
-- nothing: it has this server process plan what it will need.
CREATE OR REPLACE FUNCTION settled.end_occurrence(rows bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  ended text;
BEGIN
  IF end_occurrence.rows IS NULL THEN
    PERFORM settled.clock(), settled.occurrence_backend(0);
  END IF;
  UPDATE settled.occurrence AS o
  SET status = 'ran', rows = end_occurrence.rows, finished_at = settled.clock(), backend = NULL
  WHERE end_occurrence.rows IS NOT NULL AND o.status = 'running' AND o.backend = pg_backend_pid()
    AND settled.occurrence_backend(o.id) = pg_backend_pid()
  RETURNING o.schedule INTO ended;
  IF ended IS NULL AND end_occurrence.rows IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'occurrence', 'no occurrence was handed to this session');
  END IF;
  DELETE FROM settled.problem AS p WHERE p.name = 'schedule ' || ended;
END
$$;
