-- How a zone's clocks stand to UTC from one instant to another: spans of constant offset, both in seconds.
-- Looks at each day, and where the offset differs finds the second: two changes that cancel within a day are not seen,
-- and no zone has had such. A zone that the server no longer knows stands as it was
-- last known to (settled.zone_future).
CREATE OR REPLACE FUNCTION settled.zone_offsets(zone text, low timestamptz, high timestamptz)
RETURNS TABLE (start bigint, seconds bigint)
LANGUAGE plpgsql STABLE STRICT ROWS 4
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  here timestamp := date_trunc('second', low AT TIME ZONE 'UTC');
  goal timestamp := high AT TIME ZONE 'UTC';
  known interval;
  there timestamp;
  left_ integer;
  right_ integer;
  middle integer;
BEGIN
  IF NOT settled.knows_zone(zone) THEN
    RETURN QUERY
      SELECT CASE WHEN row_number() OVER (ORDER BY s.low) = 1 THEN extract(epoch FROM here)::bigint ELSE s.low END, s.offset
      FROM (
        SELECT (o ->> 0)::bigint AS low, (o ->> 1)::bigint AS offset,
          lead((o ->> 0)::bigint) OVER (ORDER BY (o ->> 0)::bigint) AS high
        FROM settled.zone_future AS f, jsonb_array_elements(f.offsets) AS o WHERE f.zone = zone_offsets.zone
      ) AS s
      WHERE s.low < extract(epoch FROM goal) AND (s.high IS NULL OR s.high > extract(epoch FROM here))
      ORDER BY 1;
    IF NOT FOUND THEN
      PERFORM settled.check_zone(zone);
    END IF;
    RETURN;
  END IF;
  known := ((here AT TIME ZONE 'UTC') AT TIME ZONE zone) - here;
  start := extract(epoch FROM here)::bigint;
  seconds := extract(epoch FROM known)::bigint;
  RETURN NEXT;
  WHILE here < goal LOOP
    there := here + interval '24 hours';
    IF ((there AT TIME ZONE 'UTC') AT TIME ZONE zone) - there <> known THEN
      left_ := 0;
      right_ := 86400;
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

SELECT settled.declare_callers('settled', daemon => '{zone_offsets}');
