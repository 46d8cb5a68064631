-- Whether a job may claim anything now: not while operators paused it, nor while a node holds the clock for wrong.
CREATE OR REPLACE FUNCTION settled.may_claim(job text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN NOT EXISTS (SELECT FROM settled.clock_hold AS h WHERE NOT h.lifted AND NOT h.accepted)
    AND NOT EXISTS (SELECT FROM settled.job AS j WHERE j.name = may_claim.job AND j.paused);
END
$$;
