-- Sequences whose next number a table has already, as after logical replication: the number that each should stand at.
-- Asked are columns that lead a unique index, because only they refuse a number that is taken.
CREATE OR REPLACE FUNCTION settled.sequences_behind()
RETURNS TABLE (sequence text, newest bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  source record;
  taken bigint;
  given bigint;
BEGIN
  FOR source IN
    SELECT c.oid::regclass AS relation, a.attname AS name, s.oid::regclass AS sequence
    FROM pg_class AS s JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid
        AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
      JOIN pg_class AS c ON c.oid = d.refobjid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND n.nspname IN ('settled', 'strava', 'racing', 'checkins', 'seasons', 'achievements', 'accounts')
      AND EXISTS (SELECT FROM pg_index AS x WHERE x.indrelid = c.oid AND x.indisunique AND x.indkey[0] = a.attnum)
    ORDER BY s.oid::regclass::text COLLATE "C"
  LOOP
    EXECUTE format('SELECT max(%I) FROM %s', source.name, source.relation) INTO taken;
    EXECUTE format('SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM %s', source.sequence) INTO given;
    IF taken > given THEN
      sequence := source.sequence::text;
      newest := taken;
      RETURN NEXT;
    END IF;
  END LOOP;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{sequences_behind}', fixed => '{sequences_behind}');
