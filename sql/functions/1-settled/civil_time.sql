-- Civil time: what a wall clock shows in a zone, and the instants at which it shows it. Proven against Python's
-- zoneinfo by Tests/Oracles/civil_time.py. All arithmetic is on timestamps without zone, because intervals on instants
-- would follow the session's zone. Sources: CheckIns.docc/Days.md, Engine.docc/TimeZones.md.

-- The instants at which clocks of the zone show a local time, earliest first: none in a gap, two in a fold.
-- Clocks that change within a day of the local time differ by what they showed a day before and a day after.
CREATE OR REPLACE FUNCTION settled.resolve_local(local timestamp, zone text)
RETURNS timestamptz[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  eve timestamp := local - interval '24 hours';
  morrow timestamp := local + interval '24 hours';
  -- The candidates, on a clock in UTC.
  one timestamp := local - (settled.shown(eve AT TIME ZONE 'UTC', zone) - eve);
  two timestamp := local - (settled.shown(morrow AT TIME ZONE 'UTC', zone) - morrow);
  found timestamptz[] := '{}'::timestamptz[];
BEGIN
  IF settled.shown(least(one, two) AT TIME ZONE 'UTC', zone) = local THEN
    found := ARRAY[least(one, two) AT TIME ZONE 'UTC'];
  END IF;
  IF one <> two AND settled.shown(greatest(one, two) AT TIME ZONE 'UTC', zone) = local THEN
    found := found || (greatest(one, two) AT TIME ZONE 'UTC');
  END IF;
  RETURN found;
END
$$;

-- The first instant at which clocks of the zone show a local time or a later one. Asked for a local time in a gap it is
-- the gap's end; where clocks fall back it means nothing.
CREATE OR REPLACE FUNCTION settled.gap_end(local timestamp, zone text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  -- Seconds from a day before: clocks show less than local at `low`, and not less at `high`.
  eve timestamp := local - interval '24 hours';
  low integer := 0;
  high integer := 172800;
  middle integer;
BEGIN
  WHILE high - low > 1 LOOP
    middle := (low + high) / 2;
    IF settled.shown((eve + middle * interval '1 second') AT TIME ZONE 'UTC', zone) >= local THEN
      high := middle;
    ELSE
      low := middle;
    END IF;
  END LOOP;
  RETURN (eve + high * interval '1 second') AT TIME ZONE 'UTC';
END
$$;

-- The first instant of a date; null where the zone skipped the date. Mostly clocks do not change around it, and one
-- offset answers. The candidates stand here once more, as in resolve_local: a call of it would double the time.
CREATE OR REPLACE FUNCTION settled.day_start(day date, zone text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  eve timestamptz := (day - 1)::timestamp AT TIME ZONE 'UTC';
  morrow timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
  span record := settled.known_span(morrow, zone);
  one timestamp;
  two timestamp;
  start timestamptz;
BEGIN
  IF span.since <= date_part('epoch', eve) THEN
    RETURN (day - make_interval(secs => span.seconds)) AT TIME ZONE 'UTC';
  END IF;
  one := day - (settled.shown(eve, zone) - (day - 1));
  two := day - (settled.shown(morrow, zone) - (day + 1));
  start := least(one, two) AT TIME ZONE 'UTC';
  IF one = two THEN
    RETURN start;
  END IF;
  IF settled.shown(start, zone) <> day THEN
    start := greatest(one, two) AT TIME ZONE 'UTC';
    IF settled.shown(start, zone) <> day THEN
      start := settled.gap_end(day::timestamp, zone);
    END IF;
  END IF;
  RETURN CASE WHEN settled.shown(start, zone)::date = day THEN start END;
END
$$;

-- The latest date whose first instant is not after an instant. Where clocks fall back over midnight, their
-- date goes back; the day that has begun still counts.
CREATE OR REPLACE FUNCTION settled.local_date(at timestamptz, zone text)
RETURNS date
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  span record := settled.known_span(at, zone);
  eve timestamp := (at AT TIME ZONE 'UTC') - interval '24 hours';
  shown timestamp := coalesce((at AT TIME ZONE 'UTC') + make_interval(secs => span.seconds), at AT TIME ZONE zone);
BEGIN
  -- Mostly the clocks of the last 24 hours were not changed.
  IF span.since <= date_part('epoch', at) - 86400 THEN
    RETURN shown::date;
  END IF;
  IF shown - interval '24 hours' < settled.shown(eve AT TIME ZONE 'UTC', zone)
    AND settled.day_start(shown::date + 1, zone) <= at
  THEN
    RETURN shown::date + 1;
  END IF;
  RETURN shown::date;
END
$$;

-- The instant at which the next date of the zone begins; a zone may skip one.
CREATE OR REPLACE FUNCTION settled.next_day(at timestamptz, zone text)
RETURNS timestamptz
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  today date := settled.local_date(at, zone);
BEGIN
  RETURN coalesce(settled.day_start(today + 1, zone), settled.day_start(today + 2, zone));
END
$$;

-- SD429 `quota`: something was done as often in a day of the zone as it may. With the seconds to the next day.
CREATE OR REPLACE FUNCTION settled.fail_quota(message text, quota bigint, now timestamptz, zone text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD429', 'quota', message, jsonb_build_object('limit', quota,
    'retryAfter', greatest(1, ceil(extract(epoch FROM settled.next_day(now, zone) - now))::integer)));
END
$$;

SELECT settled.declare_callers('settled', daemon => '{resolve_local, gap_end, day_start, local_date}');
