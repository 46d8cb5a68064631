-- The periods of the race calendar by a zone's midnights: days, weeks from Monday on, months. All that end after `low`
-- and start no later than `high`. A date that the zone skipped has no day of its own, and a period that begins with it
-- begins with the next one.
CREATE OR REPLACE FUNCTION racing.calendar_periods(duration text, zone text, low timestamptz, high timestamptz)
RETURNS TABLE (starts_at timestamptz, ends_at timestamptz)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  step interval := CASE duration WHEN 'daily' THEN interval '1 day' WHEN 'weekly' THEN interval '7 days'
    ELSE interval '1 month' END;
  today date := settled.local_date(low, zone);
  -- One period early: where clocks fall back over midnight a day is longer than its date.
  day date := (date_trunc(CASE duration WHEN 'daily' THEN 'day' WHEN 'weekly' THEN 'week' ELSE 'month' END,
    today::timestamp) - step)::date;
BEGIN
  ends_at := coalesce(settled.day_start(day, zone), settled.day_start(day + 1, zone));
  LOOP
    day := (day + step)::date;
    starts_at := ends_at;
    ends_at := coalesce(settled.day_start(day, zone), settled.day_start(day + 1, zone));
    EXIT WHEN starts_at > high;
    IF ends_at > low AND starts_at < ends_at THEN
      RETURN NEXT;
    END IF;
  END LOOP;
END
$$;

-- Makes a regular race: false where there is one, null where somebody's open transaction holds its place. That one race
-- is left to the next run, and the others are made.
CREATE OR REPLACE FUNCTION racing.make_regular_race(
  type text, duration text, category text, starts_at timestamptz, ends_at timestamptz, now timestamptz)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '100ms'
AS $$
BEGIN
  RETURN racing.insert_race(type, duration, category, starts_at, ends_at, now) IS NOT NULL;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END
$$;

SELECT settled.declare_callers('racing', daemon => '{make_regular_race, calendar_periods}');
