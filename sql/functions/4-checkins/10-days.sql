-- Days of zones: which one it is, and how a call that belongs to a day keeps the daily reset from closing it meanwhile.

-- What is locked for a day of a zone: shared by calls that add to it, exclusively by the daily reset. Calls of the next
-- day have another key, so that they neither wait for the reset nor hold it up.
CREATE OR REPLACE FUNCTION checkins.day_key(zone text, day date)
RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT hashtextextended('checkins.day ' || zone || ' ' || to_char(day, 'YYYY-MM-DD'), 0)
$$;

-- Holds the present day of each zone until the transaction ends, and returns the instant by which they are the present
-- ones. The clock is read again under the locks, because a midnight may have passed while they were waited for.
CREATE OR REPLACE FUNCTION checkins.hold_days(zones text[])
RETURNS timestamptz
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  before timestamptz;
  now timestamptz := settled.clock();
BEGIN
  PERFORM settled.check_zone(z) FROM unnest(zones) AS z;
  LOOP
    before := now;
    PERFORM pg_advisory_xact_lock_shared(d.key)
    FROM (
      SELECT checkins.day_key(z, settled.local_date(before, z)) AS key FROM unnest(zones) AS z ORDER BY 1 OFFSET 0
    ) AS d;
    now := settled.clock();
    EXIT WHEN NOT EXISTS (
      SELECT FROM unnest(zones) AS z WHERE settled.local_date(now, z) <> settled.local_date(before, z));
  END LOOP;
  RETURN now;
END
$$;

-- The first date after another that a zone has.
CREATE OR REPLACE FUNCTION checkins.next_date(day date, zone text)
RETURNS date
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  LOOP
    day := day + 1;
    EXIT WHEN settled.day_start(day, zone) IS NOT NULL;
  END LOOP;
  RETURN day;
END
$$;

-- The zone's first profile appears: from this day on its days are closed. The caller holds the day.
CREATE OR REPLACE FUNCTION checkins.use_zone(zone text, now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  today date;
BEGIN
  IF NOT EXISTS (SELECT FROM checkins.zone AS z WHERE z.name = zone) THEN
    today := settled.local_date(now, zone);
    INSERT INTO checkins.zone (name, next_date, next_at)
      VALUES (zone, today, settled.day_start(checkins.next_date(today, zone), zone))
    ON CONFLICT DO NOTHING;
  END IF;
END
$$;

CREATE OR REPLACE TRIGGER bell AFTER INSERT OR UPDATE OF next_at
  ON checkins.zone FOR EACH STATEMENT EXECUTE FUNCTION settled.ring();
