-- Earning points.

CREATE OR REPLACE FUNCTION seasons.earning_json(e seasons.earning)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'id', e.id, 'runnerId', e.runner_id, 'activityType', e.activity_type, 'activityUuid', e.activity_uuid,
    'points', e.points, 'season', e.season, 'year', seasons.year_text(e.year), 'description', e.description,
    'createdAt', settled.iso(e.occurred_at));
END
$$;

-- The digests of an activity's id. The first one is stored: it ignores letter case and surrounding blanks. Earlier
-- releases stored the others, which are digests of the unchanged text and of the UUID in capitals.
CREATE OR REPLACE FUNCTION seasons.activity_digests(activity_uuid text)
RETURNS bytea[]
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  trimmed text := btrim(activity_uuid, E' \t\r\n');
  forms text[] := ARRAY[trimmed, activity_uuid];
BEGIN
  IF trimmed ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    forms := ARRAY[lower(trimmed), activity_uuid, upper(trimmed)];
  END IF;
  RETURN ARRAY(SELECT sha256(convert_to(f.form, 'UTF8')) FROM unnest(forms) WITH ORDINALITY AS f (form, place)
    ORDER BY f.place);
END
$$;

-- If a season and year are given, the points are added to the runner's total and, if the runner counts for the team, to
-- the team's total. The version is read under the runner's lock, so a change to this runner comes entirely before or
-- after.
CREATE OR REPLACE FUNCTION seasons.earn_points(
  runner_id bigint, activity_type text, activity_uuid text, season text DEFAULT NULL, year text DEFAULT NULL,
  description text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  r seasons.runner;
  e seasons.earning;
  digests bytea[];
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(runner_id, 'runner-id');
  PERFORM settled.check_text(activity_type, 'activity-type');
  IF activity_uuid IS NOT NULL THEN
    PERFORM settled.check_text(activity_uuid, 'activity-uuid', min => 1);
    digests := seasons.activity_digests(activity_uuid);
    e.activity_digest := digests[1];
  END IF;
  IF season IS NOT NULL THEN
    PERFORM seasons.check_season(season);
  END IF;
  IF year IS NOT NULL THEN
    e.year := seasons.parse_year(year);
  END IF;
  IF description IS NOT NULL THEN
    PERFORM settled.check_text(description, 'description');
  END IF;
  SELECT t.points INTO e.points FROM seasons.activity_type AS t WHERE t.name = activity_type;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD400', 'activity-type', 'there is no such activity type');
  END IF;

  SELECT x.* INTO r FROM seasons.runner AS x WHERE x.id = runner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'runner', 'there is no such runner');
  END IF;
  IF activity_uuid IS NOT NULL THEN
    DECLARE
      first seasons.earning;
    BEGIN
      SELECT x.* INTO first FROM seasons.earning AS x
        WHERE x.runner_id = r.id AND x.activity_type = earn_points.activity_type
          AND x.activity_digest = ANY (digests)
        LIMIT 1;
      IF FOUND THEN
        RETURN jsonb_build_object('success', true, 'pointsEarned', 0, 'newBalance', r.points,
          'transaction', seasons.earning_json(first));
      END IF;
    END;
  END IF;

  IF season IS NOT NULL AND e.year IS NOT NULL AND r.is_active AND seasons.runs(r, season, e.year) THEN
    SELECT max(v.number) INTO e.version FROM seasons.version AS v;
  END IF;
  INSERT INTO seasons.earning AS x (
      runner_id, activity_type, activity_uuid, activity_digest, points, season, year, description, occurred_at, version)
    VALUES (r.id, activity_type, activity_uuid, e.activity_digest, e.points, season, e.year, description,
      settled.clock(), e.version)
    RETURNING x.* INTO e;
  UPDATE seasons.runner AS x SET points = x.points + e.points WHERE x.id = r.id;
  IF e.season IS NOT NULL AND e.year IS NOT NULL THEN
    INSERT INTO seasons.seasonal_total AS t (runner_id, season, year, points) VALUES (r.id, e.season, e.year, e.points)
      ON CONFLICT ON CONSTRAINT seasonal_total_once DO UPDATE SET points = t.points + excluded.points;
  END IF;
  IF e.version IS NOT NULL THEN
    INSERT INTO seasons.team_change (season, year, version, earned, at)
      VALUES (e.season, e.year, e.version, e.points, e.occurred_at);
  END IF;
  RETURN jsonb_build_object('success', true, 'pointsEarned', e.points, 'newBalance', r.points + e.points,
    'transaction', seasons.earning_json(e));
END
$$;
COMMENT ON FUNCTION seasons.earn_points(bigint, text, text, text, text, text) IS
$$Awards a runner the points for an activity, once per runner, type and activity_uuid.
activity_type: TRAINING_RUN, WORKOUT, CROSS_TRAINING, MEET_LOG, PRE_MEET_LOG, TEAM_TALK_COMMENT or LIFTING.
activity_uuid: 1 to 10,000 characters; null: each call adds points.
season: xc or track; null: no season.
year: four digits; null: no season.
description: at most 10,000 characters; null: no description.
Returns success, pointsEarned, newBalance and transaction with id, runnerId, activityType, activityUuid, points, season,
    year, description and createdAt. A repeated call returns the first transaction and 0 points.
Refuses: SD400 activity-type, activity-uuid, description, isolation, runner-id, season, year; SD404 runner.
Example: SELECT seasons.earn_points(runner_id => 1, activity_type => 'LIFTING',
    activity_uuid => '0b8e8a52-5a3e-4b5e-9d55-3f1d2b7c9e10', season => 'xc', year => '2031')$$;

-- Counts earnings that a runner made without a coach towards the daily limit. The day is a date in seasons.time_zone.
-- The caller has locked the runner, so earnings near the limit are counted exactly. With SD429 `quota`, nothing of the
-- earning is stored. Source: Seasons.docc/Points.md, "A runner's own earnings".
CREATE OR REPLACE FUNCTION seasons.count_own_earning(runner_id bigint, activity_type text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  zone text := settled.setting('seasons.time_zone');
  earnings_max bigint := settled.setting('seasons.own_earnings_a_day')::bigint;
  now timestamptz := settled.clock();
  today seasons.own_earning_day;
BEGIN
  PERFORM settled.check_zone(zone);
  INSERT INTO seasons.own_earning_day AS d (runner_id, activity_type, day, earnings)
    VALUES (count_own_earning.runner_id, count_own_earning.activity_type, settled.local_date(now, zone), 1)
  ON CONFLICT ON CONSTRAINT own_earning_day_pkey DO UPDATE SET
    day = excluded.day,
    earnings = CASE d.day WHEN excluded.day THEN d.earnings ELSE 0 END + 1
  RETURNING d.* INTO today;
  IF today.earnings > earnings_max THEN
    PERFORM settled.fail_quota(
      format('a runner can earn points for %s at most %s times per day; a coach can award more', activity_type,
        earnings_max),
      earnings_max, now, zone);
  END IF;
END
$$;

SELECT settled.declare_callers('seasons', contract => '{earn_points}');
