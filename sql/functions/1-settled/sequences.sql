-- Sequences whose next number a table has already, as after logical replication: the number that each should stand at.
-- Asked are columns that lead a unique index, because only they refuse a number that is taken: of the table that owns
-- the sequence, and of others that draw their defaults from it.
CREATE OR REPLACE FUNCTION settled.sequences_behind()
RETURNS TABLE (sequence text, newest bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
-- The names are read from the catalogue, quoted.
-- @plpgsql_check_options: security_warnings = off
DECLARE
  source record;
  taken bigint;
  given bigint;
BEGIN
  FOR source IN
    SELECT s.oid::regclass AS sequence,
      string_agg(format('SELECT max(%I) FROM %s', a.attname, c.oid::regclass), ' UNION ALL ') AS numbers
    FROM pg_class AS s JOIN pg_namespace AS n ON n.oid = s.relnamespace
      CROSS JOIN LATERAL (
        SELECT d.refobjid AS relation, d.refobjsubid AS place FROM pg_depend AS d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.refclassid = 'pg_class'::regclass
          AND d.deptype IN ('a', 'i')
        UNION
        SELECT f.adrelid, f.adnum::integer FROM pg_depend AS d JOIN pg_attrdef AS f ON f.oid = d.objid
        WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = s.oid
      ) AS u
      JOIN pg_class AS c ON c.oid = u.relation
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = u.place
    WHERE s.relkind = 'S' AND n.nspname IN ('settled', 'strava', 'racing', 'checkins', 'seasons', 'achievements', 'accounts')
      AND EXISTS (SELECT FROM pg_index AS x WHERE x.indrelid = c.oid AND x.indisunique AND x.indkey[0] = a.attnum)
    GROUP BY s.oid ORDER BY s.oid::regclass::text COLLATE "C"
  LOOP
    EXECUTE format('SELECT max(n.number) FROM (%s) AS n (number)', source.numbers) INTO taken;
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
