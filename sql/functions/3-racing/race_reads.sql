-- The wait of a race for held activities, for claims, or for entrants who are not listed. Of claims and listings alone
-- the instant of the next check is the end, because their hold may end before that of reviews. Of others the hold is
-- taken in seconds: days of an interval follow the session's zone.
CREATE OR REPLACE FUNCTION racing.hold_json(race racing.race) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  are_claims boolean := NOT EXISTS (SELECT FROM unnest(race.waiting_activities) AS i(id)
    WHERE NOT EXISTS (SELECT FROM racing.claim c WHERE c.id = i.id AND c.rejected_at IS NULL));
BEGIN
  RETURN jsonb_build_object('reason', CASE WHEN are_claims THEN 'provider' ELSE 'review' END,
    'activities', race.waiting_activities,
    'until', settled.iso(CASE WHEN are_claims THEN race.next_check_at
      ELSE race.due_at + extract(epoch FROM race.review_hold) * interval '1 second' END));
END $$;

-- What a race waits for; null where it does not wait.
CREATE OR REPLACE FUNCTION racing.waiting_json(race racing.race, now timestamptz) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN CASE
    WHEN race.status <> 'ended' THEN NULL
    WHEN now < race.due_at THEN
      jsonb_build_object('reason', 'grace', 'until', settled.iso(race.due_at), 'activities', '[]'::jsonb)
    WHEN race.waiting_activities <> '{}' OR race.next_check_at > race.due_at THEN racing.hold_json(race)
  END;
END $$;

-- The latest settlement of a race; null before the first.
CREATE OR REPLACE FUNCTION racing.settlement_json(race_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('revision', s.revision, 'outcome', s.outcome, 'settledAt', settled.iso(s.settled_at),
      'payouts', coalesce((
        SELECT jsonb_agg(jsonb_build_object('place', p.place, 'entryId', p.entry_id, 'athleteId', p.athlete_id,
                 'amountPence', p.amount_pence) ORDER BY p.place, p.entry_id)
        FROM racing.payout p WHERE p.race_id = s.race_id AND p.revision = s.revision), '[]'))
    FROM racing.settlement s WHERE s.race_id = settlement_json.race_id ORDER BY s.revision DESC LIMIT 1);
END $$;

-- The public form of a race. It is called for each race of a page, so it runs no query that the status makes needless.
CREATE OR REPLACE FUNCTION racing.race_json(race racing.race, now timestamptz) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gross bigint := (SELECT coalesce(sum(e.fee_pence), 0)::bigint FROM racing.entry e
    WHERE e.race_id = race.id AND e.status NOT IN ('disqualified', 'refunded'));
  fee bigint := floor(gross * race.platform_fee_percent / 100)::bigint;
BEGIN
  RETURN jsonb_build_object(
    'id', race.id, 'type', race.type, 'duration', race.duration, 'category', race.category,
    'startsAt', settled.iso(race.starts_at), 'endsAt', settled.iso(race.ends_at), 'dueAt', settled.iso(race.due_at),
    'createdAt', settled.iso(race.created_at), 'status', race.status, 'entryFeePence', race.entry_fee_pence,
    'entryCount', race.entry_count, 'grossPence', gross, 'platformFeePence', fee, 'prizePoolPence', gross - fee,
    'waitingFor', CASE WHEN race.status = 'ended' THEN racing.waiting_json(race, now) END,
    'settlement', CASE WHEN race.status IN ('settled', 'cancelled') THEN racing.settlement_json(race.id) END);
END $$;

CREATE OR REPLACE FUNCTION racing.race(race_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(race_id, 'race-id');
  SELECT racing.race_json(r, settled.clock()) INTO shown FROM racing.race r WHERE r.id = race.race_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'race', 'there is no such race');
  END IF;
  RETURN shown;
END $$;
COMMENT ON FUNCTION racing.race(bigint) IS
$$Retrieves a race.
Returns id, type, duration, category, startsAt, endsAt, dueAt, createdAt, status, entryFeePence, entryCount, grossPence,
    platformFeePence, prizePoolPence, waitingFor and settlement. status: upcoming, active, ended, settled or cancelled.
    dueAt: the earliest settlement time. waitingFor is null or has reason (grace, review or provider), until and
    activities. settlement is null or has revision, outcome (paid or void), settledAt and payouts, each with place,
    entryId, athleteId and amountPence.
Refuses: SD400 race-id; SD404 race.
Example: SELECT racing.race(race_id => 1)$$;

-- One key of the filter of races: null where it is not given, else one of the values that the table's checks allow.
CREATE OR REPLACE FUNCTION racing.race_filter(filter jsonb, key text, allowed text[]) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF filter -> key IS NULL OR filter -> key = 'null' THEN
    RETURN NULL;
  ELSIF jsonb_typeof(filter -> key) <> 'string' OR filter ->> key <> ALL (allowed) THEN
    PERFORM settled.fail('SD400', key, format('%s must be one of %s', key, array_to_string(allowed, ' ')));
  END IF;
  RETURN filter ->> key;
END $$;

-- A page of races. Each call is planned for its own filter: few matches are found by an index of what is asked for,
-- many by walking the ids. It calls nothing, because its setting would have each call plan its queries too.
CREATE OR REPLACE FUNCTION racing.race_page(
  type text, duration text, category text, status text, after bigint, max integer)
RETURNS SETOF racing.race
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  RETURN QUERY
    SELECT r.* FROM racing.race r
    WHERE (race_page.type IS NULL OR r.type = race_page.type)
      AND (race_page.duration IS NULL OR r.duration = race_page.duration)
      AND (race_page.category IS NULL OR r.category = race_page.category)
      AND (race_page.status IS NULL OR r.status = race_page.status) AND r.id > coalesce(after, 0)
    ORDER BY r.id LIMIT max;
END $$;

CREATE OR REPLACE FUNCTION racing.races(filter jsonb DEFAULT '{}', after bigint DEFAULT NULL, max integer DEFAULT 50) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  wanted_type text;
  wanted_duration text;
  wanted_category text;
  wanted_status text;
  now timestamptz;
  shown jsonb;
BEGIN
  PERFORM settled.check_keys(filter, '{type,duration,category,status}', 'filter');
  PERFORM settled.check_page(max);
  wanted_type := racing.race_filter(filter, 'type', '{top_speed,furthest_distance,fastest_1km,fastest_5km}');
  wanted_duration := racing.race_filter(filter, 'duration', '{daily,weekly,monthly}');
  wanted_category := racing.race_filter(filter, 'category',
    '{junior_girls,junior_boys,women_u23,men_u23,senior_women,senior_men,masters_women,masters_men}');
  wanted_status := racing.race_filter(filter, 'status', '{upcoming,active,ended,settled,cancelled}');
  now := settled.clock();
  SELECT jsonb_agg(racing.race_json(p, now) ORDER BY p.id) INTO shown
  FROM racing.race_page(wanted_type, wanted_duration, wanted_category, wanted_status, after, max) p;
  RETURN coalesce(shown, '[]');
END $$;
COMMENT ON FUNCTION racing.races(jsonb, bigint, integer) IS
$$Lists races by id.
filter: a JSON object. Only races that match all of its values are listed.
  type (text, optional): top_speed, furthest_distance, fastest_1km or fastest_5km.
  duration (text, optional): daily, weekly or monthly.
  category (text, optional): as in racing.create_race.
  status (text, optional): upcoming, active, ended, settled or cancelled.
after: the id of the last race on the previous page; null: the first page.
max (races): 1 to 500.
Returns an array of races in the format of racing.race.
Refuses: SD400 category, duration, filter, key, max, status, type.
Example: SELECT racing.races(filter => '{"status": "upcoming", "category": "senior_women"}', max => 20)$$;

SELECT settled.declare_callers('racing', contract => '{race, races}', daemon => '{race, waiting_json, hold_json}');
