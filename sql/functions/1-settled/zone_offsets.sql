-- How zones stand to UTC. A session reads a zone's file once and keeps what it read, so that after an update of the tz
-- data sessions of one server differ. The database has one answer for all of them: settled.zone_future, for each zone
-- in use and for three years ahead. Only the check of time zones replaces it. Source: Engine.docc/TimeZones.md.

-- How this session has the zone, from one instant to another: spans of constant offset, both in seconds; none where it
-- does not know the zone. Looks at each third day, and where the offset differs finds the second. Two changes that
-- cancel within three days are not seen. No zone has had such: the shortest took a week (Boa Vista, 2000).
CREATE OR REPLACE FUNCTION settled.read_zone(zone text, low timestamptz, high timestamptz)
RETURNS TABLE (start bigint, seconds bigint)
LANGUAGE plpgsql IMMUTABLE STRICT ROWS 4
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  here timestamp := date_trunc('second', low AT TIME ZONE 'UTC');
  goal timestamp := high AT TIME ZONE 'UTC';
  stride integer;
  known interval;
  there timestamp;
  left_ integer;
  right_ integer;
  middle integer;
BEGIN
  IF NOT settled.knows_zone(zone) THEN
    RETURN;
  END IF;
  known := ((here AT TIME ZONE 'UTC') AT TIME ZONE zone) - here;
  start := extract(epoch FROM here)::bigint;
  seconds := extract(epoch FROM known)::bigint;
  RETURN NEXT;
  WHILE here < goal LOOP
    stride := CASE WHEN here + interval '72 hours' <= goal THEN 3 * 86400 ELSE 86400 END;
    there := here + stride * interval '1 second';
    IF ((there AT TIME ZONE 'UTC') AT TIME ZONE zone) - there <> known THEN
      left_ := 0;
      right_ := stride;
      WHILE right_ - left_ > 1 LOOP
        middle := (left_ + right_) / 2;
        there := here + middle * interval '1 second';
        IF ((there AT TIME ZONE 'UTC') AT TIME ZONE zone) - there <> known THEN
          right_ := middle;
        ELSE
          left_ := middle;
        END IF;
      END LOOP;
      there := here + right_ * interval '1 second';
      known := ((there AT TIME ZONE 'UTC') AT TIME ZONE zone) - there;
      start := extract(epoch FROM there)::bigint;
      seconds := extract(epoch FROM known)::bigint;
      RETURN NEXT;
    END IF;
    here := there;
  END LOOP;
END
$$;

-- The end of what settled.zone_future holds of a zone: 1098 days.
CREATE OR REPLACE FUNCTION settled.known_to(known_from timestamptz)
RETURNS timestamptz
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT known_from + interval '26352 hours'
$$;

-- What settled.zone_future would hold, as this session has the zone; null where it does not know the zone.
CREATE OR REPLACE FUNCTION settled.read_future(zone text, known_from timestamptz)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_agg(jsonb_build_array(z.start, z.seconds) ORDER BY z.start)
  FROM settled.read_zone(zone, known_from, settled.known_to(known_from)) AS z
$$;

-- Stores the zone's offsets of this session since 40 days ago. Keeps the row of a zone that the session does not have.
CREATE OR REPLACE FUNCTION settled.learn_zone(zone text, now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  low timestamptz := to_timestamp(floor(extract(epoch FROM now)) - 40 * 86400);
  read jsonb := settled.read_future(zone, low);
BEGIN
  IF read IS NOT NULL THEN
    INSERT INTO settled.zone_future AS f (zone, known_from, offsets, read_at) VALUES (zone, low, read, clock_timestamp())
    ON CONFLICT ON CONSTRAINT zone_future_pkey DO UPDATE
      SET known_from = excluded.known_from, offsets = excluded.offsets, read_at = excluded.read_at;
  END IF;
END
$$;

-- A zone comes into use: its offsets in this session are stored. Offsets stored earlier are kept for the comparison.
CREATE OR REPLACE FUNCTION settled.meet_zone(zone text, now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM settled.zone_future AS f WHERE f.zone = meet_zone.zone) THEN
    PERFORM settled.learn_zone(zone, now);
  END IF;
END
$$;

-- How a zone's clocks stand to UTC from one instant to another: spans of constant offset, both in seconds. What the
-- database knows of the zone comes before what the session has. Where the session does not know the zone, the first and
-- last known offsets also hold before and after.
CREATE OR REPLACE FUNCTION settled.zone_offsets(zone text, low timestamptz, high timestamptz)
RETURNS TABLE (start bigint, seconds bigint)
LANGUAGE plpgsql STABLE STRICT ROWS 4
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  here bigint := floor(extract(epoch FROM low))::bigint;
  known_from timestamptz;
  known_to timestamptz;
BEGIN
  SELECT f.known_from, settled.known_to(f.known_from) INTO known_from, known_to
    FROM settled.zone_future AS f WHERE f.zone = zone_offsets.zone;
  IF NOT FOUND THEN
    PERFORM settled.check_zone(zone);
    RETURN QUERY SELECT z.start, z.seconds FROM settled.read_zone(zone, low, high) AS z;
    RETURN;
  END IF;
  IF NOT settled.knows_zone(zone) THEN
    known_from := least(low, known_from);
    known_to := greatest(high, known_to) + interval '1 second';
  END IF;
  RETURN QUERY
    WITH known AS (
      SELECT (o ->> 0)::bigint AS start, (o ->> 1)::bigint AS seconds,
        lead((o ->> 0)::bigint) OVER (ORDER BY (o ->> 0)::bigint) AS next,
        row_number() OVER (ORDER BY (o ->> 0)::bigint) = 1 AS is_first
      FROM settled.zone_future AS f, jsonb_array_elements(f.offsets) AS o WHERE f.zone = zone_offsets.zone
    ), spans AS (
      SELECT z.start, z.seconds FROM settled.read_zone(zone, low, least(high, known_from)) AS z
      WHERE low < known_from AND z.start < extract(epoch FROM known_from)
      UNION ALL
      SELECT greatest(here, CASE WHEN k.is_first THEN ceil(extract(epoch FROM known_from))::bigint ELSE k.start END),
        k.seconds
      FROM known AS k
      WHERE (k.next IS NULL OR k.next > here) AND (k.is_first OR k.start <= extract(epoch FROM high))
        AND low < known_to AND (high >= known_from OR NOT k.is_first)
      UNION ALL
      SELECT z.start, z.seconds FROM settled.read_zone(zone, greatest(low, known_to), high) AS z WHERE high > known_to
    ), runs AS (
      SELECT s.start, s.seconds, lag(s.seconds) OVER (ORDER BY s.start) AS before FROM spans AS s
    )
    SELECT r.start, r.seconds FROM runs AS r WHERE r.before IS DISTINCT FROM r.seconds ORDER BY r.start;
END
$$;

-- The span of the zone that has an instant, as the database knows it: its begin, and its offset in seconds. Null where
-- the database does not know it.
CREATE OR REPLACE FUNCTION settled.known_span(at timestamptz, zone text, OUT since bigint, OUT seconds integer)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  second double precision := date_part('epoch', at);
  offsets jsonb;
  place integer := 0;
BEGIN
  -- With the length of settled.known_to, and from the first span on, because most ask for the present: each check-in
  -- asks this several times.
  offsets := (SELECT f.offsets FROM settled.zone_future AS f
    WHERE f.zone = known_span.zone AND at >= f.known_from AND at < f.known_from + interval '26352 hours');
  WHILE (offsets -> (place + 1) ->> 0)::bigint <= second LOOP
    place := place + 1;
  END LOOP;
  since := (offsets -> place ->> 0)::bigint;
  seconds := (offsets -> place ->> 1)::integer;
END
$$;

-- What clocks of the zone show at an instant. As above: what the database knows of the zone comes first.
CREATE OR REPLACE FUNCTION settled.shown(at timestamptz, zone text)
RETURNS timestamp
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  span record := settled.known_span(at, zone);
BEGIN
  RETURN coalesce((at AT TIME ZONE 'UTC') + make_interval(secs => span.seconds), at AT TIME ZONE zone);
END
$$;

SELECT settled.declare_callers('settled',
  daemon => '{read_zone, known_to, read_future, learn_zone, meet_zone, zone_offsets, known_span, shown}');
