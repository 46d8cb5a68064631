-- Whether a job is stopped: by its pause, or until an operator accepts that the database was restored.
CREATE OR REPLACE FUNCTION settled.is_stopped(job text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM settled.job AS j WHERE j.name = is_stopped.job AND j.paused)
    OR EXISTS (SELECT FROM settled.restoration AS r WHERE r.accepted_at IS NULL AND is_stopped.job = ANY (r.jobs));
END
$$;

-- Whether a job may claim anything now: not while it is stopped, nor while a node holds the clock for wrong.
CREATE OR REPLACE FUNCTION settled.may_claim(job text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN NOT settled.is_stopped(job)
    AND NOT EXISTS (SELECT FROM settled.clock_hold AS h WHERE NOT h.lifted AND NOT h.accepted);
END
$$;

SELECT settled.declare_callers('settled', daemon => '{may_claim, is_stopped}');
