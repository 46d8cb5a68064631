-- Days of zones: which one it is, and how a call that belongs to a day keeps the daily reset from closing it meanwhile.

-- The date of a zone at an instant, and never one whose day is closed: new tz data may let clocks go back over the
-- midnight that closed it.
CREATE OR REPLACE FUNCTION checkins.local_date(at timestamptz, zone text)
RETURNS date
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN greatest(settled.local_date(at, zone), (SELECT z.next_date FROM checkins.zone AS z WHERE z.name = zone));
END
$$;

-- Holds the present day of each zone until the transaction ends, and returns the instant by which they are the present
-- ones. What is held is the row of the day's tally that belongs to this session's shard; whoever has to make it holds
-- the zone, too. The daily reset takes the zone and all rows of the day that it closes, so that it waits for both. The
-- clock is read again under the locks, because a midnight may have passed while they were waited for. Only calls of the
-- same shard can be in the way for long; a wait of more than five seconds is 55P03.
DROP FUNCTION IF EXISTS checkins.hold_days(text[]);
CREATE OR REPLACE FUNCTION checkins.hold_days(zones text[], OUT now timestamptz, OUT days date[])
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '5s'
AS $$
DECLARE
  own_shard CONSTANT integer := pg_backend_pid() % 32;
  -- Everybody locks in this order.
  names CONSTANT text[] := ARRAY(SELECT DISTINCT z.name COLLATE "C" FROM unnest(zones) AS z (name) ORDER BY 1);
  hasall boolean;
  ended boolean;
BEGIN
  now := settled.clock();
  FOR i IN 1 .. cardinality(names) LOOP
    PERFORM settled.check_zone(names[i]);
  END LOOP;
  LOOP
    hasall := true;
    FOR i IN 1 .. cardinality(names) LOOP
      days[i] := checkins.local_date(now, names[i]);
      hasall := hasall AND EXISTS (
        SELECT FROM checkins.tally AS t WHERE t.zone = names[i] AND t.date = days[i] AND t.shard = own_shard);
    END LOOP;
    IF NOT hasall THEN
      PERFORM FROM checkins.zone AS z WHERE z.name = ANY(names) ORDER BY z.name FOR KEY SHARE;
    END IF;
    FOR i IN 1 .. cardinality(names) LOOP
      -- Makes the row or locks it: the condition keeps it from being written.
      INSERT INTO checkins.tally AS t (zone, date, shard, checked_in) VALUES (names[i], days[i], own_shard, 0)
      ON CONFLICT ON CONSTRAINT tally_once DO UPDATE SET checked_in = t.checked_in WHERE false;
    END LOOP;
    now := settled.clock();
    ended := false;
    FOR i IN 1 .. cardinality(names) LOOP
      ended := ended OR checkins.local_date(now, names[i]) <> days[i];
    END LOOP;
    EXIT WHEN NOT ended;
    -- These days have ended, and may have been closed: nothing may be left for them.
    DELETE FROM checkins.tally AS t USING unnest(names, days) AS d (zone, day)
      WHERE t.zone = d.zone AND t.date = d.day AND t.shard = own_shard AND t.checked_in = 0;
  END LOOP;
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

-- The zone's first profile appears: from this day on its days are closed, and its future is known. The caller holds the
-- day. False where another call did this meanwhile: then the day was held without the zone, and may have been closed.
CREATE OR REPLACE FUNCTION checkins.use_zone(zone text, now timestamptz)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  today date;
BEGIN
  IF EXISTS (SELECT FROM checkins.zone AS z WHERE z.name = zone) THEN
    RETURN true;
  END IF;
  PERFORM settled.meet_zone(zone, now);
  today := settled.local_date(now, zone);
  INSERT INTO checkins.zone (name, next_date, next_at)
    VALUES (zone, today, settled.day_start(checkins.next_date(today, zone), zone))
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END
$$;
