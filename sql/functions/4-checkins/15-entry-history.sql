-- Partitions of entries, as history.sql has them of the house's tables: a partition for each month of their dates. What is
-- shown beyond a year follows from profiles, streaks and days, and stays when entries go.

-- Plants the earliest partition that is wanted: this month, the next two, and months of which rows have come to lie in the
-- default partition, whose rows move along. Returns its name, null when nothing is to be planted. Attaching locks profiles for
-- their foreign key, too: only shortly, because a call that holds them may wait for the entries.
CREATE OR REPLACE FUNCTION checkins.plant_entries()
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
SET timezone = 'UTC'
AS $$
DECLARE
  this_month timestamp := date_trunc('month', settled.clock())::timestamp;
  month date;
  until date;
  name text;
BEGIN
  PERFORM settled.check_writer();
  SELECT min(w.month) INTO month
  FROM (
    SELECT generate_series(this_month, this_month + interval '2 months', interval '1 month')::date AS month
    UNION SELECT date_trunc('month', e.date)::date FROM checkins.entry_default AS e
  ) AS w
  WHERE to_regclass(format('checkins.entry_%s', to_char(w.month, 'YYYY_MM'))) IS NULL;
  IF month IS NULL THEN
    RETURN NULL;
  END IF;
  until := month + interval '1 month';
  LOCK TABLE checkins.entry IN ACCESS EXCLUSIVE MODE;
  SET LOCAL lock_timeout = '200ms';
  LOCK TABLE checkins.profile IN SHARE ROW EXCLUSIVE MODE;
  name := format('entry_%s', to_char(month, 'YYYY_MM'));
  IF to_regclass('checkins.' || name) IS NOT NULL THEN
    RETURN name;
  END IF;
  EXECUTE format('CREATE TABLE checkins.%I (LIKE checkins.entry INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
  EXECUTE format('WITH moved AS (
      DELETE FROM checkins.entry_default WHERE date >= %L AND date < %L RETURNING *)
    INSERT INTO checkins.%I SELECT * FROM moved', month, until, name);
  EXECUTE format('ALTER TABLE checkins.entry ATTACH PARTITION checkins.%I FOR VALUES FROM (%L) TO (%L)',
    name, month, until);
  RETURN name;
END
$$;

-- Drops the oldest partition when all of its dates are older than the retention. Returns its name, null when none is old
-- enough, or entries are kept forever.
CREATE OR REPLACE FUNCTION checkins.prune_entries()
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
SET timezone = 'UTC'
AS $$
DECLARE
  old timestamptz := settled.clock() - settled.setting_span('checkins.entry_retention');
  name text;
BEGIN
  PERFORM settled.check_writer();
  SELECT c.relname::text INTO name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'checkins.entry'::regclass AND c.relname ~ '^entry_[0-9]{4,}_[0-9]{2}$'
    ORDER BY to_date(substr(c.relname, 7), 'YYYY_MM') LIMIT 1;
  IF old IS NULL OR name IS NULL OR to_date(substr(name, 7), 'YYYY_MM') + interval '1 month' > old THEN
    RETURN NULL;
  END IF;
  LOCK TABLE checkins.entry IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('DROP TABLE checkins.%I', name);
  RETURN name;
END
$$;
