-- Racepace: races, leaderboards and entries. Source: Gateway.docc/Systems.md, "Racing".

-- The app's Race. prizePool is the total paid in, because the app deducts its percentage.
CREATE OR REPLACE FUNCTION gateway.race_shape(race jsonb)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'id', race ->> 'id', 'type', race -> 'type', 'duration', race -> 'duration', 'category', race -> 'category',
    'startDate', left(race ->> 'startsAt', 19) || 'Z', 'endDate', left(race ->> 'endsAt', 19) || 'Z',
    'entryCount', race -> 'entryCount',
    'prizePool', trim_scale((race ->> 'grossPence')::numeric * 0.01),
    'netPrizePool', trim_scale((race ->> 'prizePoolPence')::numeric * 0.01),
    'entryFee', trim_scale((race ->> 'entryFeePence')::numeric * 0.01),
    'status', CASE race ->> 'status' WHEN 'settled' THEN 'ended' ELSE race ->> 'status' END,
    'exactStatus', race -> 'status',
    'createdAt', left(race ->> 'createdAt', 19) || 'Z');
END
$$;

-- A race's position in the order of race ends: its end in microseconds and its id, as 32 hexadecimal digits.
CREATE OR REPLACE FUNCTION gateway.race_cursor(ends_at timestamptz, race_id bigint)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN encode(int8send((extract(epoch FROM ends_at) * 1000000)::bigint) || int8send(race_id), 'hex');
END
$$;

-- The end and the id in a cursor. Without a cursor, a position before every race. SD400 `after`: not a cursor.
CREATE OR REPLACE FUNCTION gateway.race_place(after text, OUT ends_at timestamptz, OUT race_id bigint)
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  -- 2200-01-01, after which no race ends. A double represents every whole number up to it exactly.
  microseconds_max CONSTANT bigint := 7258118400000000;
  microseconds bigint;
BEGIN
  IF after IS NULL THEN
    ends_at := '-infinity';
    race_id := 0;
    RETURN;
  END IF;
  IF after ~ '^[0-9a-f]{32}$' THEN
    microseconds := ('x' || left(after, 16))::bit(64)::bigint;
    race_id := ('x' || right(after, 16))::bit(64)::bigint;
  END IF;
  IF microseconds IS NULL OR microseconds NOT BETWEEN -microseconds_max AND microseconds_max OR race_id < 1 THEN
    PERFORM settled.fail('SD400', 'after', 'after must be the cursor of the last race on the previous page');
  END IF;
  ends_at := timestamptz '1970-01-01 00:00:00+00' + microseconds::double precision * interval '1 microsecond';
END
$$;

-- A page of races after a place in the order of race ends, then ids. Each status is read through its own index, and
-- each call is planned for its own filter. It calls nothing, because its setting would have each call plan its queries.
CREATE OR REPLACE FUNCTION gateway.race_page(
  statuses text[], type text, duration text, category text, after_end timestamptz, after_id bigint, max integer)
RETURNS SETOF racing.race
LANGUAGE plpgsql STABLE ROWS 200
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  RETURN QUERY
    SELECT (found.race).*
    FROM unnest(statuses) AS s (status)
    CROSS JOIN LATERAL (
      SELECT r AS race, r.ends_at, r.id FROM racing.race AS r
      WHERE r.status = s.status AND (r.ends_at, r.id) > (after_end, after_id)
        AND (race_page.type IS NULL OR r.type = race_page.type)
        AND (race_page.duration IS NULL OR r.duration = race_page.duration)
        AND (race_page.category IS NULL OR r.category = race_page.category)
      ORDER BY r.ends_at, r.id LIMIT max
    ) AS found
    ORDER BY found.ends_at, found.id LIMIT max;
END
$$;

-- GET races: in the order of race ends, then ids. after is the cursor of the last race on the previous page. Without a
-- status, the races that are upcoming, active, or ended and not settled. The ended status includes settled races.
CREATE OR REPLACE FUNCTION gateway.racepace_races(
  filter jsonb DEFAULT '{}', after text DEFAULT NULL, max integer DEFAULT 200)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  wanted_type text;
  wanted_duration text;
  wanted_category text;
  wanted_status text;
  statuses text[];
  place record;
  now timestamptz;
BEGIN
  PERFORM settled.check_keys(filter, '{type,duration,category,status}', 'filter');
  PERFORM settled.check_page(max);
  place := gateway.race_place(after);
  wanted_type := racing.race_filter(filter, 'type', '{top_speed,furthest_distance,fastest_1km,fastest_5km}');
  wanted_duration := racing.race_filter(filter, 'duration', '{daily,weekly,monthly}');
  wanted_category := racing.race_filter(filter, 'category',
    '{junior_girls,junior_boys,women_u23,men_u23,senior_women,senior_men,masters_women,masters_men}');
  wanted_status := racing.race_filter(filter, 'status', '{upcoming,active,ended,settled,cancelled}');
  statuses := CASE WHEN wanted_status IS NULL THEN '{upcoming,active,ended}'
    WHEN wanted_status = 'ended' THEN '{ended,settled}' ELSE ARRAY[wanted_status] END;
  now := settled.clock();
  RETURN (
    SELECT coalesce(jsonb_agg(gateway.race_shape(racing.race_json(page, now))
        || jsonb_build_object('cursor', gateway.race_cursor(page.ends_at, page.id))
      ORDER BY page.ends_at, page.id), '[]')
    FROM gateway.race_page(
      statuses, wanted_type, wanted_duration, wanted_category, place.ends_at, place.race_id, max) AS page);
END
$$;

-- For gateways of the release before cursors, while any are running: after is the id of the last race. That release had
-- defaults, which cannot be removed from a function.
DROP FUNCTION IF EXISTS gateway.racepace_races(jsonb, bigint, integer);
CREATE OR REPLACE FUNCTION gateway.racepace_races(filter jsonb, after bigint, max integer)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  place text := (SELECT gateway.race_cursor(r.ends_at, r.id) FROM racing.race AS r WHERE r.id = racepace_races.after);
BEGIN
  IF after IS NOT NULL AND place IS NULL THEN
    PERFORM settled.fail('SD400', 'after', 'after must be the id of the last race on the previous page');
  END IF;
  RETURN gateway.racepace_races(filter, place, max);
END
$$;

-- GET races/:id
CREATE OR REPLACE FUNCTION gateway.racepace_race(race_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN gateway.race_shape(racing.race(race_id));
END
$$;

-- GET races/:id/leaderboard
CREATE OR REPLACE FUNCTION gateway.racepace_leaderboard(race_id bigint, max integer DEFAULT 100)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  board jsonb := racing.leaderboard(race_id, max);
  its_type text := (SELECT r.type FROM racing.race AS r WHERE r.id = racepace_leaderboard.race_id);
BEGIN
  RETURN jsonb_build_object('id', race_id::text, 'raceId', race_id::text,
    'updatedAt', left(board ->> 'updatedAt', 19) || 'Z',
    'entries', (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', e.entry ->> 'entryId', 'rank', e.entry -> 'rank', 'userId', e.entry ->> 'athleteId',
        'userName', e.entry -> 'displayName', 'userProfileURL', NULL,
        'score', gateway.score(its_type, (e.entry ->> 'score')::bigint),
        'activityId', e.entry ->> 'activityId', 'raceType', its_type) ORDER BY e.place), '[]')
      FROM jsonb_array_elements(board -> 'entries') WITH ORDINALITY AS e (entry, place)));
END
$$;

-- The app's Entry. transactionId is the payment of the fee.
CREATE OR REPLACE FUNCTION gateway.entry_shape(entry jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'id', entry ->> 'id', 'userId', entry ->> 'athleteId', 'raceId', entry ->> 'raceId', 'raceType', entry -> 'raceType',
    'activityId', entry ->> 'activityId', 'enteredAt', left(entry ->> 'enteredAt', 19) || 'Z',
    'score', gateway.score(entry ->> 'raceType', (entry ->> 'score')::bigint), 'rank', entry -> 'rank',
    'status', CASE entry ->> 'status' WHEN 'entered' THEN 'active' ELSE entry ->> 'status' END,
    'exactStatus', entry -> 'status',
    'prizeWon', trim_scale(nullif((entry ->> 'prizePence')::numeric, 0) * 0.01),
    'transactionId', (
      SELECT p.id::text FROM racing.journal AS j JOIN racing.posting AS p ON p.journal_id = j.id AND p.account = 'wallet'
      WHERE j.idempotency_key = 'entry/' || (entry ->> 'id')));
END
$$;

-- POST races/:id/enter
CREATE OR REPLACE FUNCTION gateway.racepace_enter(athlete_id bigint, race_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  -- Separate, because a read in the same statement would not see it.
  entry_id bigint := racing.enter_race(athlete_id, race_id);
BEGIN
  RETURN gateway.entry_shape(racing.entry(entry_id));
END
$$;

-- GET users/:id/entries, newest first.
CREATE OR REPLACE FUNCTION gateway.racepace_entries(
  athlete_id bigint, before bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(gateway.entry_shape(e.entry) ORDER BY e.place), '[]')
    FROM jsonb_array_elements(racing.entries(athlete_id, before, max)) WITH ORDINALITY AS e (entry, place));
END
$$;

-- GET entries/:id for the caller's own entry. SD403 `self` for an entry of another athlete.
CREATE OR REPLACE FUNCTION gateway.racepace_entry(athlete_id bigint, entry_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  entry jsonb;
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  entry := racing.entry(entry_id);
  IF entry ->> 'athleteId' <> athlete_id::text THEN
    PERFORM settled.fail('SD403', 'self', 'the entry belongs to another athlete');
  END IF;
  RETURN gateway.entry_shape(entry);
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{racepace_races, racepace_race, racepace_leaderboard, racepace_enter, racepace_entries, racepace_entry}');
