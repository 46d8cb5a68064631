-- after: key-collation
-- Columns of keys and other indexes over text compare bytes, whatever the locale data of the server: an index serves
-- only comparisons in its own order, so that columns which are joined need the same one. The migrator has built the
-- indexes of large tables beside their writers, named `..._c` (KeyCollation): here they take the places of the old ones.

DO $$
DECLARE
  made text[] := '{}';
  step text;
  keyed record;
  piece record;
  bytes CONSTANT oid := 'pg_catalog."C"'::regcollation;
  own CONSTANT oid[] := ARRAY(SELECT n.oid FROM pg_namespace AS n WHERE n.nspname = ANY (
    '{settled,strava,racing,checkins,seasons,achievements,accounts,gateway}'::name[]));
BEGIN
  CREATE TEMPORARY TABLE keyed ON COMMIT DROP AS
    SELECT x.indrelid AS relation, array_agg(DISTINCT a.attnum) AS columns
    FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indrelid
      JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_am AS m ON m.oid = i.relam
      JOIN pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = ANY (x.indkey)
    WHERE c.relnamespace = ANY (own) AND m.amname = 'btree' AND NOT c.relispartition
      AND a.attcollation NOT IN (0, bytes)
      -- A generated column reads the status of a race: it keeps its order, in which its five words never change places.
      AND (x.indrelid, a.attname) <> ('racing.race'::regclass, 'status')
    GROUP BY x.indrelid;

  FOR piece IN
    SELECT DISTINCT v.oid::regclass::text AS name, pg_get_viewdef(v.oid) AS body, v.reloptions
    FROM keyed AS k JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = k.relation
        AND d.refobjsubid = ANY (k.columns) AND d.classid = 'pg_rewrite'::regclass
      JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class
  LOOP
    made := made || format('CREATE VIEW %s %s AS %s', piece.name,
      coalesce('WITH (' || array_to_string(piece.reloptions, ', ') || ')', ''), piece.body);
    made := made || ARRAY(
      SELECT format('GRANT %s ON %s TO %s', g.privilege_type, piece.name, CASE g.grantee WHEN 0 THEN 'PUBLIC'
        ELSE g.grantee::regrole::text END)
      FROM pg_class AS v, aclexplode(v.relacl) AS g
      WHERE v.oid = piece.name::regclass AND g.grantee <> v.relowner);
    EXECUTE format('DROP VIEW %s', piece.name);
  END LOOP;

  FOR keyed IN
    SELECT k.relation::regclass::text AS name, k.relation, k.columns, c.relkind = 'p' AS is_partitioned
    FROM keyed AS k JOIN pg_class AS c ON c.oid = k.relation ORDER BY 1
  LOOP
    FOR piece IN
      SELECT DISTINCT t.tgname, pg_get_triggerdef(t.oid) AS body
      FROM pg_trigger AS t JOIN pg_depend AS d ON d.classid = 'pg_trigger'::regclass AND d.objid = t.oid
      WHERE t.tgrelid = keyed.relation AND d.refobjid = keyed.relation AND d.refobjsubid = ANY (keyed.columns)
        AND NOT t.tgisinternal
    LOOP
      EXECUTE format('DROP TRIGGER %I ON %s', piece.tgname, keyed.name);
      made := made || piece.body;
    END LOOP;

    -- What prepared indexes replace; of a partitioned table its key, and so those of all partitions.
    CREATE TEMPORARY TABLE replaced ON COMMIT DROP AS
      SELECT c.oid::regclass::text AS name, n.nspname, i.relname AS index, k.conname, p.oid IS NOT NULL AS is_prepared,
        c.oid = keyed.relation AS is_root, pg_get_constraintdef(k.oid) AS body,
        CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END AS kind
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_index AS x ON x.indrelid = c.oid
        JOIN pg_class AS i ON i.oid = x.indexrelid
        LEFT JOIN pg_constraint AS k ON k.conindid = i.oid AND k.contype IN ('p', 'u')
        LEFT JOIN pg_class AS p ON p.relname = i.relname || '_c' AND p.relnamespace = i.relnamespace
      WHERE (c.oid = keyed.relation
          OR c.oid IN (SELECT h.inhrelid FROM pg_inherits AS h WHERE h.inhparent = keyed.relation))
        AND (p.oid IS NOT NULL OR c.oid = keyed.relation AND keyed.is_partitioned AND k.oid IS NOT NULL);
    FOR piece IN SELECT * FROM replaced AS r WHERE r.is_root LOOP
      EXECUTE CASE WHEN piece.conname IS NULL THEN format('DROP INDEX %I.%I', piece.nspname, piece.index)
        ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', piece.name, piece.conname) END;
    END LOOP;
    EXECUTE (
      SELECT format('ALTER TABLE %s %s', keyed.name,
        string_agg(format('ALTER COLUMN %I TYPE text COLLATE "C"', a.attname), ', '))
      FROM pg_attribute AS a WHERE a.attrelid = keyed.relation AND a.attnum = ANY (keyed.columns));
    FOR piece IN SELECT * FROM replaced AS r ORDER BY r.is_root LOOP
      EXECUTE CASE
        WHEN piece.conname IS NULL THEN
          format('ALTER INDEX %I.%I RENAME TO %I', piece.nspname, piece.index || '_c', piece.index)
        WHEN piece.is_prepared THEN
          format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', piece.name, piece.conname, piece.kind,
            piece.index || '_c')
        ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', piece.name, piece.conname, piece.body) END;
    END LOOP;
    DROP TABLE replaced;
  END LOOP;
  FOREACH step IN ARRAY made LOOP
    EXECUTE step;
  END LOOP;
END
$$;

DROP FUNCTION racing.mark_journal_doubles();
