-- Monthly partitions of the tables that modules declare. As in history.sql, each function makes one step, for a
-- transaction of its own, and waits at most a second for its locks. The daemon calls them, and does not own the tables.

CREATE OR REPLACE FUNCTION settled.declare_retention(schema_name text, table_name text, column_name text, setting text)
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO settled.retention AS r (schema_name, table_name, column_name, setting)
    VALUES (schema_name, table_name, column_name, setting)
  ON CONFLICT ON CONSTRAINT retention_pkey DO UPDATE
    SET (column_name, setting) = ROW (excluded.column_name, excluded.setting)
$$;

-- The declaration of a table.
CREATE OR REPLACE FUNCTION settled.retention_of(schema_name text, table_name text)
RETURNS settled.retention
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  declared settled.retention;
BEGIN
  SELECT r.* INTO declared FROM settled.retention AS r
    WHERE r.schema_name = retention_of.schema_name AND r.table_name = retention_of.table_name;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'table', 'no module declares a retention period for this table');
  END IF;
  RETURN declared;
END
$$;

-- Plants the earliest partition that is wanted: this month, the next two, and months of which rows have come to lie in
-- the default partition, whose rows move along. Returns its name, null when nothing is to be planted. Attaching locks
-- the tables that the rows refer to, too: only shortly, because a call that holds them may wait for the rows.
CREATE OR REPLACE FUNCTION settled.plant_partition(schema_name text, table_name text)
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
SET timezone = 'UTC'
AS $$
DECLARE
  declared settled.retention := settled.retention_of(schema_name, table_name);
  relation regclass := format('%I.%I', schema_name, table_name)::regclass;
  this_month timestamp := date_trunc('month', settled.clock())::timestamp;
  month date;
  until date;
  name text;
  referenced regclass;
BEGIN
  PERFORM settled.check_writer();
  EXECUTE format('SELECT min(w.month) FROM (
      SELECT generate_series($1, $1 + interval ''2 months'', interval ''1 month'')::date AS month
      UNION SELECT date_trunc(''month'', e.%1$I)::date FROM %2$I.%3$I AS e) AS w
    WHERE to_regclass(format(''%%I.%%I'', $2, $3 || to_char(w.month, ''_YYYY_MM''))) IS NULL',
    declared.column_name, schema_name, table_name || '_default')
    INTO month USING this_month, schema_name, table_name;
  IF month IS NULL THEN
    RETURN NULL;
  END IF;
  until := (month + interval '1 month')::date;
  EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation);
  SET LOCAL lock_timeout = '200ms';
  FOR referenced IN
    SELECT DISTINCT k.confrelid::regclass FROM pg_constraint AS k
    WHERE k.conrelid = relation AND k.contype = 'f' ORDER BY k.confrelid::regclass
  LOOP
    EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', referenced);
  END LOOP;
  name := table_name || to_char(month, '_YYYY_MM');
  IF to_regclass(format('%I.%I', schema_name, name)) IS NOT NULL THEN
    RETURN name;
  END IF;
  EXECUTE format('CREATE TABLE %I.%I (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', schema_name, name, relation);
  EXECUTE format('WITH moved AS (DELETE FROM %1$I.%2$I WHERE %3$I >= %4$L AND %3$I < %5$L RETURNING *)
    INSERT INTO %1$I.%6$I SELECT * FROM moved',
    schema_name, table_name || '_default', declared.column_name, month, until, name);
  EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%L)',
    relation, schema_name, name, month, until);
  RETURN name;
END
$$;

-- Drops the oldest partition when all of its dates are older than the retention. Returns its name, null when none is
-- old enough, or rows are kept forever.
CREATE OR REPLACE FUNCTION settled.prune_partition(schema_name text, table_name text)
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
SET timezone = 'UTC'
AS $$
DECLARE
  declared settled.retention := settled.retention_of(schema_name, table_name);
  relation regclass := format('%I.%I', schema_name, table_name)::regclass;
  old timestamptz := settled.clock() - settled.setting_span(declared.setting);
  month date;
  name text;
BEGIN
  PERFORM settled.check_writer();
  SELECT c.relname::text, to_date(right(c.relname, 7), 'YYYY_MM') INTO name, month
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = relation AND left(c.relname, -8) = table_name AND right(c.relname, 8) ~ '^_[0-9]{4}_[0-9]{2}$'
    ORDER BY 2 LIMIT 1;
  IF old IS NULL OR name IS NULL OR month + interval '1 month' > old THEN
    RETURN NULL;
  END IF;
  EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', relation);
  EXECUTE format('DROP TABLE %I.%I', schema_name, name);
  RETURN name;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{plant_partition, prune_partition}');
