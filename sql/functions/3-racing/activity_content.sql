-- Reads the JSON of an import (Racing.docc/Activities.md, "Import"). Each reader refuses what does not fit with SD400
-- and the name of the key. Numbers stay numeric, exactly as written; a number is in range before anything is computed
-- with it, so that 1e400 is a bad value and not an overflow.

CREATE OR REPLACE FUNCTION racing.activity_number(value jsonb, low numeric, high numeric, rule text) RETURNS numeric
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number numeric;
BEGIN
  IF value IS NULL OR jsonb_typeof(value) <> 'number' THEN
    PERFORM settled.fail('SD400', rule, 'a number is needed');
  END IF;
  number := value::numeric;
  IF number < low OR number > high THEN
    PERFORM settled.fail('SD400', rule, format('the number must be from %s to %s', low, high));
  END IF;
  RETURN number;
END $$;

CREATE OR REPLACE FUNCTION racing.activity_text(value jsonb, rule text, max integer) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  content text;
BEGIN
  IF value IS NULL OR jsonb_typeof(value) <> 'string' THEN
    PERFORM settled.fail('SD400', rule, 'a text is needed');
  END IF;
  content := value #>> '{}';
  PERFORM settled.check_text(content, rule, max);
  RETURN content;
END $$;

-- An instant in ISO 8601 with its zone. What is finer than a microsecond is cut, never rounded: rounding could carry
-- the last instant of a window into the next one.
CREATE OR REPLACE FUNCTION racing.activity_instant(value jsonb, rule text) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  content text := racing.activity_text(value, rule, 100);
  instant timestamptz;
BEGIN
  IF content !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$' THEN
    PERFORM settled.fail('SD400', rule, 'an ISO 8601 instant with its zone is needed');
  END IF;
  BEGIN
    instant := regexp_replace(translate(content, ',', '.'), '(\.[0-9]{6})[0-9]+', '\1')::timestamptz;
  EXCEPTION WHEN data_exception THEN
    PERFORM settled.fail('SD400', rule, 'there is no such instant');
  END;
  PERFORM settled.check_instant(instant, rule);
  RETURN instant;
END $$;

-- {latitude, longitude} or null. Degrees are kept as double precision, what they are compared with; the 30 places
-- left here are more than that can hold, and keep 1e-400 from being an underflow.
CREATE OR REPLACE FUNCTION racing.activity_location(value jsonb, rule text, OUT latitude numeric, OUT longitude numeric)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF value IS NULL OR value = 'null' THEN
    RETURN;
  END IF;
  IF jsonb_typeof(value) <> 'object' THEN
    PERFORM settled.fail('SD400', rule, 'an object with latitude and longitude is needed');
  END IF;
  PERFORM settled.check_keys(value, '{latitude,longitude}', rule);
  latitude := round(racing.activity_number(value -> 'latitude', -90, 90, rule), 30);
  longitude := round(racing.activity_number(value -> 'longitude', -180, 180, rule), 30);
END $$;

-- {time, distance} or null: billionths, cut, and the values as they were written, for the hash. No points: no streams.
CREATE OR REPLACE FUNCTION racing.activity_streams(value jsonb, OUT times bigint[], OUT distances bigint[], OUT written text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  fits boolean;
BEGIN
  IF value IS NULL OR value = 'null' THEN
    RETURN;
  END IF;
  IF jsonb_typeof(value) <> 'object' THEN
    PERFORM settled.fail('SD400', 'streams', 'an object with time and distance is needed');
  END IF;
  PERFORM settled.check_keys(value, '{time,distance}', 'streams');
  IF jsonb_typeof(value -> 'time') IS DISTINCT FROM 'array' OR jsonb_typeof(value -> 'distance') IS DISTINCT FROM 'array' THEN
    PERFORM settled.fail('SD400', 'streams', 'time and distance must be arrays');
  END IF;
  IF jsonb_array_length(value -> 'time') <> jsonb_array_length(value -> 'distance')
     OR jsonb_array_length(value -> 'time') > 200000 THEN
    PERFORM settled.fail('SD400', 'streams', 'time and distance must have the same length, at most 200000');
  END IF;
  SELECT array_agg(p.t9::bigint ORDER BY p.n), array_agg(p.d9::bigint ORDER BY p.n),
         string_agg(trim_scale(round(p.t, 30)) || ' ' || trim_scale(round(p.d, 30)), ',' ORDER BY p.n),
         bool_and(coalesce(p.t IS NOT NULL AND p.d IS NOT NULL
           AND (p.n = 1 OR p.t > p.t_before AND p.t9 > p.t9_before AND p.d >= p.d_before), false))
  INTO times, distances, written, fits
  FROM (
    SELECT q.*, lag(q.t) OVER point AS t_before, lag(q.t9) OVER point AS t9_before, lag(q.d) OVER point AS d_before
    FROM (
      SELECT x.n, x.t, x.d, trunc(x.t * 1000000000) AS t9, trunc(x.d * 1000000000) AS d9
      FROM (
        SELECT e.n,
               CASE WHEN jsonb_typeof(e.t) = 'number' THEN
                 CASE WHEN e.t::numeric BETWEEN 0 AND 100000000 THEN e.t::numeric END END AS t,
               CASE WHEN jsonb_typeof(e.d) = 'number' THEN
                 CASE WHEN e.d::numeric BETWEEN 0 AND 100000000 THEN e.d::numeric END END AS d
        FROM ROWS FROM (jsonb_array_elements(value -> 'time'), jsonb_array_elements(value -> 'distance'))
             WITH ORDINALITY AS e (t, d, n)
        OFFSET 0
      ) x
      OFFSET 0
    ) q
    WINDOW point AS (ORDER BY q.n)
  ) p;
  IF NOT fits THEN
    PERFORM settled.fail('SD400', 'streams',
      'time must rise strictly from 0 and distance must not fall, as numbers up to 100000000');
  END IF;
END $$;

-- Who may see the activity, in the provider's words; null where the import gives none.
CREATE OR REPLACE FUNCTION racing.activity_visibility(value jsonb) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF value IS NULL OR value = 'null' THEN
    RETURN NULL;
  ELSIF jsonb_typeof(value) <> 'string' OR value #>> '{}' <> ALL ('{everyone,followers_only,only_me}') THEN
    PERFORM settled.fail('SD400', 'visibility', 'visibility must be everyone, followers_only or only_me');
  END IF;
  RETURN value #>> '{}';
END $$;

-- Whether an activity ends more than ten minutes ahead of an instant. Its start comes before its end.
CREATE OR REPLACE FUNCTION racing.is_ahead(started_at timestamptz, elapsed_time numeric, now timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT extract(epoch FROM started_at) + elapsed_time > extract(epoch FROM now) + 600
$$;

-- The columns that an import sets, as a row of the table (the others are null), and the streams beside it.
CREATE OR REPLACE FUNCTION racing.activity_content(activity jsonb, OUT content racing.activity, OUT times bigint[], OUT distances bigint[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
-- A row of the table is one of three results, on purpose.
-- @plpgsql_check_options: extra_warnings = off
DECLARE
  started record;
  ended record;
  streams record;
  strava_id numeric;
BEGIN
  IF activity IS NULL OR jsonb_typeof(activity) <> 'object' THEN
    PERFORM settled.fail('SD400', 'activity', 'an object is needed');
  ELSIF pg_column_size(activity) > 16777216 THEN      -- before a key of it is read
    PERFORM settled.fail('SD400', 'activity', 'an activity has at most 16 MiB');
  END IF;
  PERFORM settled.check_keys(activity, '{stravaId,name,activityType,startDate,elapsedTime,movingTime,distance,maxSpeed,startLocation,endLocation,polyline,streams,visibility,flagged}', 'activity');
  strava_id := racing.activity_number(activity -> 'stravaId', 1, 9223372036854775807, 'strava-id');
  IF strava_id <> trunc(strava_id) THEN
    PERFORM settled.fail('SD400', 'strava-id', 'a whole number is needed');
  END IF;
  content.strava_id := strava_id::bigint;
  content.name := racing.activity_text(activity -> 'name', 'name', 10000);
  content.activity_type := racing.activity_text(activity -> 'activityType', 'activity-type', 10000);
  content.started_at := racing.activity_instant(activity -> 'startDate', 'start-date');
  content.elapsed_time := racing.activity_number(activity -> 'elapsedTime', 0, 100000000, 'elapsed-time');
  IF content.elapsed_time = 0 THEN
    PERFORM settled.fail('SD400', 'elapsed-time', 'the number must be above 0');
  END IF;
  content.moving_time := racing.activity_number(activity -> 'movingTime', 0, 100000000, 'moving-time');
  content.distance := racing.activity_number(activity -> 'distance', 0, 100000000, 'distance');
  IF activity -> 'maxSpeed' <> 'null' THEN
    content.max_speed := racing.activity_number(activity -> 'maxSpeed', 0, 100000, 'max-speed');
  END IF;
  started := racing.activity_location(activity -> 'startLocation', 'start-location');
  ended := racing.activity_location(activity -> 'endLocation', 'end-location');
  content.start_latitude := started.latitude::double precision;
  content.start_longitude := started.longitude::double precision;
  content.end_latitude := ended.latitude::double precision;
  content.end_longitude := ended.longitude::double precision;
  IF activity -> 'polyline' <> 'null' THEN
    content.polyline := racing.activity_text(activity -> 'polyline', 'polyline', 1000000);
  END IF;
  content.visibility := racing.activity_visibility(activity -> 'visibility');
  IF activity -> 'flagged' <> 'null' THEN
    IF jsonb_typeof(activity -> 'flagged') <> 'boolean' THEN
      PERFORM settled.fail('SD400', 'flagged', 'true or false is needed');
    END IF;
    content.provider_flagged := (activity -> 'flagged')::boolean;
  END IF;
  streams := racing.activity_streams(activity -> 'streams');
  times := streams.times;
  distances := streams.distances;
  content.streams_digest := CASE WHEN times IS NOT NULL THEN sha256(array_send(times) || array_send(distances)) END;
  -- Of all the content but visibility and flagged, as one text in which 1.0 and 1 are the same, and an absent key and
  -- null.
  content.content_hash := sha256(convert_to(jsonb_build_array(
    content.name, content.activity_type, extract(epoch FROM content.started_at),
    trim_scale(content.elapsed_time), trim_scale(content.moving_time), trim_scale(content.distance),
    trim_scale(content.max_speed),
    trim_scale(started.latitude), trim_scale(started.longitude), trim_scale(ended.latitude), trim_scale(ended.longitude),
    content.polyline)::text || coalesce(streams.written, ''), 'UTF8'));
END $$;
