-- Partitions of what grows with traffic. The daemon is not their owner: these functions are all that it can do to them.
-- Each makes one step, for a transaction of its own, and waits at most a second for its locks, because whoever comes
-- after it waits as long; a longer wait is 55P03, and nothing has happened.

-- Occurrences have a partition for each month by UTC. Plants the earliest one that is wanted: this month, the next
-- two, and months of which rows have come to lie in the default partition, whose rows move along. Returns its name,
-- null when nothing is to be planted.
CREATE OR REPLACE FUNCTION settled.plant_occurrences()
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
SET timezone = 'UTC'
AS $$
DECLARE
  this_month timestamptz := date_trunc('month', settled.clock());
  kept timestamptz := (SELECT h.kept_from FROM settled.occurrence_history AS h);
  month timestamptz;
  name text;
BEGIN
  PERFORM settled.check_writer();
  SELECT min(w.month) INTO month
  FROM (
    SELECT generate_series(this_month, this_month + interval '2 months', interval '1 month') AS month
    UNION SELECT date_trunc('month', o.instant) FROM settled.occurrence_default AS o WHERE o.instant >= kept
  ) AS w
  WHERE to_regclass(format('settled.occurrence_%s', to_char(w.month, 'YYYY_MM'))) IS NULL;
  IF month IS NULL THEN
    RETURN NULL;
  END IF;
  LOCK TABLE settled.occurrence IN ACCESS EXCLUSIVE MODE;
  name := format('occurrence_%s', to_char(month, 'YYYY_MM'));
  IF to_regclass('settled.' || name) IS NOT NULL THEN
    RETURN name;
  END IF;
  EXECUTE format('CREATE TABLE settled.%I (LIKE settled.occurrence INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
  EXECUTE format('WITH moved AS (
      DELETE FROM settled.occurrence_default WHERE instant >= %L AND instant < %L RETURNING *)
    INSERT INTO settled.%I SELECT * FROM moved', month, month + interval '1 month', name);
  EXECUTE format('ALTER TABLE settled.occurrence ATTACH PARTITION settled.%I FOR VALUES FROM (%L) TO (%L)',
    name, month, month + interval '1 month');
  RETURN name;
END
$$;

-- Drops the oldest partition of occurrences when all of it is older than the retention; the ledger begins at its
-- end. Ticks that have not ended move to the default partition. Returns its name, null when none is old enough.
CREATE OR REPLACE FUNCTION settled.prune_occurrences()
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
SET timezone = 'UTC'
AS $$
DECLARE
  old timestamptz := settled.clock() - settled.setting_span('settled.occurrence_retention');
  month timestamptz;
  name text;
  unfinished settled.occurrence[];
BEGIN
  PERFORM settled.check_writer();
  -- Ends of ticks that were older than the retention when they ended.
  DELETE FROM settled.occurrence_default AS o
    USING settled.occurrence_history AS h WHERE o.instant < h.kept_from AND o.finished_at IS NOT NULL;
  SELECT c.relname::text INTO name FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'settled.occurrence'::regclass AND c.relname ~ '^occurrence_[0-9]{4,}_[0-9]{2}$'
    ORDER BY to_date(substr(c.relname, 12), 'YYYY_MM') LIMIT 1;
  month := to_date(substr(name, 12), 'YYYY_MM')::timestamptz;
  IF name IS NULL OR month + interval '1 month' > old THEN
    RETURN NULL;
  END IF;
  LOCK TABLE settled.occurrence IN ACCESS EXCLUSIVE MODE;
  SELECT array_agg(o) INTO unfinished FROM settled.occurrence AS o
    WHERE o.instant >= month AND o.instant < month + interval '1 month' AND o.finished_at IS NULL;
  EXECUTE format('DROP TABLE settled.%I', name);
  INSERT INTO settled.occurrence OVERRIDING SYSTEM VALUE SELECT u.* FROM unnest(unfinished) AS u;
  UPDATE settled.occurrence_history SET kept_from = greatest(kept_from, month + interval '1 month');
  RETURN name;
END
$$;

-- Events are read by position, and positions say nothing of time. So the default partition takes what is numbered, and
-- once a week it is closed: it becomes the partition of its positions as it is, no row moves, and an empty default
-- takes its place. Returns its name, null when it is not time, or nothing was numbered.
CREATE OR REPLACE FUNCTION settled.close_events()
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
AS $$
DECLARE
  now timestamptz := settled.clock();
  last_closing settled.event_closing;
  numbered bigint;
  name text;
  key text;
BEGIN
  PERFORM settled.check_writer();
  SELECT c.* INTO last_closing FROM settled.event_closing AS c ORDER BY c.through DESC LIMIT 1;
  IF now < last_closing.closed_at + least(interval '168 hours', settled.setting_span('settled.event_retention'))
    OR NOT EXISTS (SELECT FROM settled.event_default)
  THEN
    RETURN NULL;
  END IF;
  -- As numbering does: first the counter, then the events. From here on no position is given.
  SELECT c.last_position INTO STRICT numbered FROM settled.event_counter AS c FOR UPDATE;
  LOCK TABLE settled.event IN ACCESS EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM settled.event_closing AS c WHERE c.through > last_closing.through OR c.through = numbered) THEN
    RETURN NULL;
  END IF;
  name := format('event_%s', numbered);
  ALTER TABLE settled.event DETACH PARTITION settled.event_default;
  EXECUTE format('ALTER TABLE settled.event_default RENAME TO %I', name);
  SELECT k.conname::text INTO STRICT key FROM pg_constraint AS k
    WHERE k.conrelid = format('settled.%I', name)::regclass AND k.contype = 'p';
  EXECUTE format('ALTER TABLE settled.%I RENAME CONSTRAINT %I TO %I', name, key, name || '_pkey');
  EXECUTE format('ALTER TABLE settled.event ATTACH PARTITION settled.%I FOR VALUES FROM (%s) TO (%s)',
    name, coalesce(last_closing.through, 0) + 1, numbered + 1);
  CREATE TABLE settled.event_default PARTITION OF settled.event DEFAULT;
  INSERT INTO settled.event_closing (through, closed_at) VALUES (numbered, now);
  RETURN name;
END
$$;

-- Drops the oldest partition of events when it was closed longer ago than the retention: so each event can be read for
-- that long after it got its position, however late that was. Returns its name, null when none is old enough.
CREATE OR REPLACE FUNCTION settled.prune_events()
RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '1s'
AS $$
DECLARE
  oldest settled.event_closing;
BEGIN
  PERFORM settled.check_writer();
  SELECT c.* INTO oldest FROM settled.event_closing AS c, settled.event_counter AS n
    WHERE c.through > n.pruned_through ORDER BY c.through LIMIT 1;
  IF oldest.through IS NULL
    OR oldest.closed_at + settled.setting_span('settled.event_retention') > settled.clock()
  THEN
    RETURN NULL;
  END IF;
  PERFORM FROM settled.event_counter FOR UPDATE;
  LOCK TABLE settled.event IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('DROP TABLE IF EXISTS settled.%I', format('event_%s', oldest.through));
  UPDATE settled.event_counter AS n SET pruned_through = greatest(n.pruned_through, oldest.through);
  DELETE FROM settled.event_closing AS c WHERE c.through < oldest.through;
  RETURN format('event_%s', oldest.through);
END
$$;

SELECT settled.declare_callers('settled',
  daemon => '{plant_occurrences, prune_occurrences, close_events, prune_events}');
