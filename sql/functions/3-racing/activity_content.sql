-- Reads the JSON of an import (Racing.docc/Activities.md, "Import").

-- Those of former releases.
DROP FUNCTION IF EXISTS racing.activity_number(jsonb, numeric, numeric, text);
DROP FUNCTION IF EXISTS racing.activity_text(jsonb, text, integer);
DROP FUNCTION IF EXISTS racing.activity_location(jsonb, text);

-- An instant in ISO 8601 with its zone. What is finer than a microsecond is cut, never rounded: rounding could carry
-- the last instant of a window into the next one.
DROP FUNCTION IF EXISTS racing.activity_instant(jsonb, text);
CREATE OR REPLACE FUNCTION racing.start_of(activity jsonb) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  content text := settled.text_of(activity, 'startDate', max => 100);
  instant timestamptz;
BEGIN
  IF content !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$' THEN
    PERFORM settled.refuse_key('startDate', 'an ISO 8601 instant with a time zone');
  END IF;
  BEGIN
    instant := regexp_replace(translate(content, ',', '.'), '(\.[0-9]{6})[0-9]+', '\1')::timestamptz;
  EXCEPTION WHEN data_exception THEN
    PERFORM settled.refuse_key('startDate', 'a valid date and time');
  END;
  PERFORM settled.check_instant(instant, 'startDate');
  RETURN instant;
END $$;

-- {latitude, longitude} or null. Degrees are kept as double precision, what they are compared with; the 30 places
-- left here are more than that can hold, and keep 1e-400 from being an underflow.
CREATE OR REPLACE FUNCTION racing.location_of(activity jsonb, key text, OUT latitude numeric, OUT longitude numeric)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT settled.is_given(activity, key) THEN
    RETURN;
  ELSIF jsonb_typeof(activity -> key) <> 'object' THEN
    PERFORM settled.refuse_key(key, 'an object with latitude and longitude');
  END IF;
  PERFORM settled.check_keys(activity -> key, '{latitude,longitude}', key);
  latitude := round(settled.number_of(activity -> key, 'latitude', -90, 90, inside => key), 30);
  longitude := round(settled.number_of(activity -> key, 'longitude', -180, 180, inside => key), 30);
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
    PERFORM settled.refuse_key('streams', 'an object with the arrays time and distance');
  END IF;
  PERFORM settled.check_keys(value, '{time,distance}', 'streams');
  IF jsonb_typeof(value -> 'time') IS DISTINCT FROM 'array' OR jsonb_typeof(value -> 'distance') IS DISTINCT FROM 'array' THEN
    PERFORM settled.refuse_key('streams', 'an object with the arrays time and distance');
  END IF;
  IF jsonb_array_length(value -> 'time') <> jsonb_array_length(value -> 'distance')
     OR jsonb_array_length(value -> 'time') > 200000 THEN
    PERFORM settled.fail('SD400', 'streams', 'streams: time and distance must have the same length, at most 200000');
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
      'streams: time must increase strictly from 0, and distance must not decrease, with numbers up to 100000000');
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
BEGIN
  IF activity IS NULL OR jsonb_typeof(activity) <> 'object' THEN
    PERFORM settled.refuse_key('activity', 'a JSON object');
  ELSIF pg_column_size(activity) > 16777216 THEN      -- before a key of it is read
    PERFORM settled.fail('SD400', 'activity', 'activity must not be larger than 16 MiB');
  END IF;
  PERFORM settled.check_keys(activity, '{stravaId,name,activityType,startDate,elapsedTime,movingTime,distance,maxSpeed,startLocation,endLocation,polyline,streams,visibility,flagged}', 'activity');
  content.strava_id := settled.number_of(activity, 'stravaId', 1, 9223372036854775807, is_whole => true)::bigint;
  content.name := settled.text_of(activity, 'name');
  content.activity_type := settled.text_of(activity, 'activityType');
  content.started_at := racing.start_of(activity);
  content.elapsed_time := settled.number_of(activity, 'elapsedTime', 0, 100000000);
  IF content.elapsed_time = 0 THEN
    PERFORM settled.refuse_key('elapsedTime', 'a number above 0');
  END IF;
  content.moving_time := settled.number_of(activity, 'movingTime', 0, 100000000);
  content.distance := settled.number_of(activity, 'distance', 0, 100000000);
  content.max_speed := settled.number_of(activity, 'maxSpeed', 0, 100000, is_optional => true);
  started := racing.location_of(activity, 'startLocation');
  ended := racing.location_of(activity, 'endLocation');
  content.start_latitude := started.latitude::double precision;
  content.start_longitude := started.longitude::double precision;
  content.end_latitude := ended.latitude::double precision;
  content.end_longitude := ended.longitude::double precision;
  content.polyline := settled.text_of(activity, 'polyline', max => 1000000, is_optional => true);
  content.visibility := racing.activity_visibility(activity -> 'visibility');
  content.provider_flagged := settled.flag_of(activity, 'flagged', is_optional => true);
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
