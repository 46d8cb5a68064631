-- Refuses a write that touched other rows than were decided, where its answer comes only with the COMMIT.
CREATE OR REPLACE FUNCTION settled.expect_rows(written bigint, decided bigint)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF written <> decided THEN
    RAISE EXCEPTION USING ERRCODE = 'assert_failure', MESSAGE = format('%s rows were written, but %s were expected', written, decided);
  END IF;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{expect_rows}');
