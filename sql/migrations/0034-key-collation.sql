-- after: key-collation
-- Columns of keys and other indexes over text compare bytes. So they do not depend on the locale data of the server.
-- An index serves only comparisons in its own order: two columns that are joined need the same one. The migrator has
-- built the indexes of large tables beside their writers, named `..._c` (KeyCollation). Here they replace the old ones.

CREATE FUNCTION settled.keyed_columns()
RETURNS TABLE (relation oid, columns smallint[])
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT x.indrelid, array_agg(DISTINCT a.attnum)
  FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_am AS m ON m.oid = i.relam
    JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
  WHERE n.nspname IN ('settled', 'strava', 'racing', 'checkins', 'seasons', 'achievements', 'accounts', 'gateway')
    AND m.amname = 'btree' AND NOT c.relispartition AND a.attcollation NOT IN (0, 'pg_catalog."C"'::regcollation)
    -- A generated column reads the status of a race, so this column keeps its order. Its five words never swap places.
    AND (x.indrelid, a.attname) <> ('racing.race'::regclass, 'status')
  GROUP BY x.indrelid;
$$;

DO $$
DECLARE
  made text[] := '{}';
  step text;
  keyed record;
  piece record;
  replaced jsonb;
BEGIN
  -- Only views of the product: the migrator has refused others. They are created again with their grants.
  FOR piece IN
    SELECT DISTINCT v.oid, v.oid::regclass::text AS name, pg_get_viewdef(v.oid) AS body, v.reloptions
    FROM settled.keyed_columns() AS k JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass
        AND d.refobjid = k.relation AND d.refobjsubid = ANY (k.columns) AND d.classid = 'pg_rewrite'::regclass
      JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class
    WHERE v.relkind = 'v' AND v.relnamespace IN ('racing'::regnamespace, 'settled'::regnamespace)
  LOOP
    made := made || format('CREATE VIEW %s %s AS %s', piece.name,
      coalesce('WITH (' || array_to_string(piece.reloptions, ', ') || ')', ''), piece.body);
    made := made || ARRAY(
      SELECT format('GRANT %s ON %s TO %s', g.privilege_type, piece.name, g.grantee::regrole)
      FROM pg_class AS v, aclexplode(v.relacl) AS g
      WHERE v.oid = piece.oid AND g.grantee NOT IN (0, v.relowner));
    EXECUTE format('DROP VIEW %s', piece.name);
  END LOOP;

  -- The largest last: it is locked from here to the commit.
  FOR keyed IN
    SELECT k.relation::regclass::text AS name, k.relation, k.columns, c.relkind = 'p' AS is_partitioned
    FROM settled.keyed_columns() AS k JOIN pg_class AS c ON c.oid = k.relation ORDER BY c.reltuples, 1
  LOOP
    FOR piece IN
      SELECT DISTINCT t.tgname, pg_get_triggerdef(t.oid) AS body, t.tgenabled
      FROM pg_trigger AS t JOIN pg_depend AS d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid
      WHERE t.tgrelid = keyed.relation AND d.refobjid = keyed.relation AND d.refobjsubid = ANY (keyed.columns)
        AND NOT t.tgisinternal
    LOOP
      EXECUTE format('DROP TRIGGER %I ON %s', piece.tgname, keyed.name);
      made := made || piece.body || CASE WHEN piece.tgenabled = 'O' THEN ''
        ELSE format('; ALTER TABLE %s %s TRIGGER %I', keyed.name, CASE piece.tgenabled WHEN 'A' THEN 'ENABLE ALWAYS'
          WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'DISABLE' END, piece.tgname) END;
    END LOOP;

    -- What prepared indexes replace; of a partitioned table its key, and so those of all partitions.
    replaced := (
      SELECT coalesce(jsonb_agg(jsonb_build_object('name', c.oid::regclass::text, 'nspname', n.nspname,
        'index', i.relname, 'conname', k.conname, 'is_prepared', p.oid IS NOT NULL,
        'is_root', c.oid = keyed.relation, 'body', pg_get_constraintdef(k.oid),
        'kind', CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, 'is_identity', x.indisreplident)), '[]')
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_index AS x ON x.indrelid = c.oid
        JOIN pg_class AS i ON i.oid = x.indexrelid
        LEFT JOIN pg_constraint AS k ON k.conindid = i.oid AND k.contype IN ('p', 'u')
        LEFT JOIN pg_class AS p ON p.relname = i.relname || '_c' AND p.relnamespace = i.relnamespace
      WHERE (c.oid = keyed.relation
          OR c.oid IN (SELECT h.inhrelid FROM pg_inherits AS h WHERE h.inhparent = keyed.relation))
        AND (p.oid IS NOT NULL OR c.oid = keyed.relation AND keyed.is_partitioned AND k.oid IS NOT NULL));
    FOR piece IN
      SELECT * FROM jsonb_to_recordset(replaced) AS r (name text, nspname text, index text, conname text, is_root boolean)
      WHERE r.is_root
    LOOP
      EXECUTE CASE WHEN piece.conname IS NULL THEN format('DROP INDEX %I.%I', piece.nspname, piece.index)
        ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', piece.name, piece.conname) END;
    END LOOP;
    EXECUTE (
      SELECT format('ALTER TABLE %s %s', keyed.name,
        string_agg(format('ALTER COLUMN %I TYPE text COLLATE "C"', a.attname), ', '))
      FROM pg_attribute AS a WHERE a.attrelid = keyed.relation AND a.attnum = ANY (keyed.columns));
    FOR piece IN
      SELECT * FROM jsonb_to_recordset(replaced) AS r (name text, nspname text, index text, conname text,
        is_prepared boolean, is_root boolean, body text, kind text, is_identity boolean)
      ORDER BY r.is_root
    LOOP
      EXECUTE CASE
        WHEN piece.conname IS NULL THEN
          format('ALTER INDEX %I.%I RENAME TO %I', piece.nspname, piece.index || '_c', piece.index)
        WHEN piece.is_prepared THEN
          format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', piece.name, piece.conname, piece.kind,
            piece.index || '_c')
        ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', piece.name, piece.conname, piece.body) END;
      IF piece.is_identity THEN
        EXECUTE format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', piece.name, piece.index);
      END IF;
    END LOOP;
  END LOOP;
  FOREACH step IN ARRAY made LOOP
    EXECUTE step;
  END LOOP;
END
$$;

DROP FUNCTION settled.keyed_columns();
DROP FUNCTION racing.mark_journal_doubles();
