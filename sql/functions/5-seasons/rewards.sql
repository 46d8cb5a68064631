-- Rewards, and how far a team has come. Readers see a reward as achieved from the commit that reached it.

-- A whole number of a request, or null where the key is absent or null.
CREATE OR REPLACE FUNCTION seasons.whole(request jsonb, key text, rule text, low bigint, high bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  value numeric;
BEGIN
  IF coalesce(jsonb_typeof(request -> key), 'null') = 'null' THEN
    RETURN NULL;
  END IF;
  value := CASE jsonb_typeof(request -> key) WHEN 'number' THEN (request -> key)::numeric END;
  IF value IS NULL OR value NOT BETWEEN low AND high OR value <> trunc(value) THEN
    PERFORM settled.fail('SD400', rule, format('%s must be a whole number from %s to %s', key, low, high));
  END IF;
  RETURN value::bigint;
END
$$;

-- A text of a request with at least `min` characters, or null where the key is absent or null.
CREATE OR REPLACE FUNCTION seasons.words(request jsonb, key text, rule text, min integer, max integer DEFAULT 10000)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF coalesce(jsonb_typeof(request -> key), 'null') = 'null' THEN
    RETURN NULL;
  ELSIF jsonb_typeof(request -> key) <> 'string' THEN
    PERFORM settled.fail('SD400', rule, format('%s must be a string', key));
  END IF;
  PERFORM settled.check_text(request ->> key, rule, max => max, min => min);
  RETURN request ->> key;
END
$$;

-- The season of a request, and its year, which may be a text or a number.
CREATE OR REPLACE FUNCTION seasons.season_of_request(request jsonb, OUT season text, OUT year integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF jsonb_typeof(request -> 'season') = 'string' THEN
    season := request ->> 'season';
  END IF;
  PERFORM seasons.check_season(season);
  year := seasons.parse_year(
    CASE WHEN jsonb_typeof(request -> 'year') IN ('string', 'number') THEN request ->> 'year' END);
END
$$;

-- The fields of a reward that every answer shows.
CREATE OR REPLACE FUNCTION seasons.reward_json(w seasons.reward, achieved_date timestamptz)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_build_object(
    'id', w.id, 'season', w.season, 'year', seasons.year_text(w.year), 'description', w.description,
    'pointThreshold', w.point_threshold, 'displayOrder', w.display_order,
    'isAchieved', achieved_date IS NOT NULL, 'achievedDate', settled.iso(achieved_date))
$$;

-- A reward as those who create and update it see it.
CREATE OR REPLACE FUNCTION seasons.kept_reward_json(w seasons.reward)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT seasons.reward_json(w, coalesce(w.achieved_date,
      (SELECT r.achieved_date FROM seasons.reached(w.season, w.year) AS r WHERE r.reward_id = w.id)))
    || jsonb_build_object('createdAt', settled.iso(w.created_at), 'updatedAt', settled.iso(w.updated_at))
$$;

-- Refuses a display order that another reward of the season has.
CREATE OR REPLACE FUNCTION seasons.refuse_display_order()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD400', 'display-order', 'another reward of this season has this display order');
END
$$;

-- A threshold holds from a version of its own on, and the reward-check looks at once.
CREATE OR REPLACE FUNCTION seasons.set_threshold(w seasons.reward)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  version bigint := seasons.begin_version();
BEGIN
  INSERT INTO seasons.threshold (reward_id, version, points) VALUES (w.id, version, w.point_threshold);
  INSERT INTO seasons.team_change (season, year, version, at) VALUES (w.season, w.year, version, settled.clock());
END
$$;

CREATE OR REPLACE FUNCTION seasons.create_reward(request jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  w seasons.reward;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(request, '{season,year,description,pointThreshold,displayOrder,createdBy}', 'request');
  SELECT s.season, s.year INTO w.season, w.year FROM seasons.season_of_request(request) AS s;
  w.description := seasons.words(request, 'description', 'description', 1);
  PERFORM settled.check_present(w.description, 'description');
  w.point_threshold := seasons.whole(request, 'pointThreshold', 'point-threshold', 1, 1000000000);
  PERFORM settled.check_present(w.point_threshold, 'point-threshold');
  w.display_order := seasons.whole(request, 'displayOrder', 'display-order', 1, 5000)::integer;
  PERFORM settled.check_present(w.display_order, 'display-order');
  w.created_by := seasons.words(request, 'createdBy', 'created-by', 0);
  w.created_at := settled.clock();
  INSERT INTO seasons.reward AS x (
      season, year, description, point_threshold, display_order, created_by, created_at, updated_at)
    VALUES (w.season, w.year, w.description, w.point_threshold, w.display_order, w.created_by, w.created_at, w.created_at)
    ON CONFLICT ON CONSTRAINT reward_display_order DO NOTHING RETURNING x.* INTO w;
  IF NOT FOUND THEN
    PERFORM seasons.refuse_display_order();
  END IF;
  PERFORM seasons.set_threshold(w);
  RETURN seasons.kept_reward_json(w);
END
$$;

-- Changes what is given; an absent or null key keeps its value. A reward that is reached stays reached.
CREATE OR REPLACE FUNCTION seasons.update_reward(id bigint, request jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  old seasons.reward;
  w seasons.reward;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(id, 'id');
  PERFORM settled.check_keys(request, '{description,pointThreshold,displayOrder}', 'request');
  w.description := seasons.words(request, 'description', 'description', 1);
  w.point_threshold := seasons.whole(request, 'pointThreshold', 'point-threshold', 1, 1000000000);
  w.display_order := seasons.whole(request, 'displayOrder', 'display-order', 1, 5000)::integer;
  SELECT x.* INTO old FROM seasons.reward AS x WHERE x.id = update_reward.id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'reward', 'there is no such reward');
  END IF;
  BEGIN
    UPDATE seasons.reward AS x SET description = coalesce(w.description, x.description),
        point_threshold = coalesce(w.point_threshold, x.point_threshold),
        display_order = coalesce(w.display_order, x.display_order), updated_at = settled.clock()
      WHERE x.id = old.id RETURNING x.* INTO w;
  EXCEPTION WHEN unique_violation THEN
    PERFORM seasons.refuse_display_order();
  END;
  IF w.point_threshold <> old.point_threshold THEN
    PERFORM seasons.set_threshold(w);
  END IF;
  RETURN seasons.kept_reward_json(w);
END
$$;

-- Deletes a reward. Where it is reached, the event that says so is written first.
CREATE OR REPLACE FUNCTION seasons.delete_reward(id bigint)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  w seasons.reward;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(id, 'id');
  SELECT x.* INTO w FROM seasons.reward AS x WHERE x.id = delete_reward.id FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'reward', 'there is no such reward');
  END IF;
  PERFORM seasons.record_reached(w.season, w.year, w.id);
  DELETE FROM seasons.reward AS x WHERE x.id = w.id;
END
$$;

-- The rewards of a season by their display order.
CREATE OR REPLACE FUNCTION seasons.rewards_json(season text, year integer, total bigint)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(jsonb_agg(seasons.reward_json(w, coalesce(w.achieved_date, r.achieved_date)) || jsonb_build_object(
      'progressPercentage', CASE WHEN total IS NULL THEN NULL
        WHEN coalesce(w.achieved_date, r.achieved_date) IS NOT NULL THEN 100
        ELSE trim_scale(least(100, trunc(total * 100.0 / w.point_threshold, 2))) END)
    ORDER BY w.display_order), '[]')
  FROM seasons.reward AS w
  LEFT JOIN seasons.reached(rewards_json.season, rewards_json.year) AS r ON r.reward_id = w.id
  WHERE w.season = rewards_json.season AND w.year = rewards_json.year
$$;

-- The rewards without their progress.
CREATE OR REPLACE FUNCTION seasons.rewards(season text, year text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM seasons.check_season(season);
  RETURN seasons.rewards_json(season, seasons.parse_year(year), NULL);
END
$$;

-- The team's total, its active runners, and its rewards.
CREATE OR REPLACE FUNCTION seasons.progress(season text, year text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number integer := seasons.parse_year(year);
  total bigint;
BEGIN
  PERFORM seasons.check_season(season);
  total := seasons.team_points(season, number);
  RETURN jsonb_build_object(
    'season', season, 'year', year, 'teamTotalPoints', total,
    'activeRosterCount', (
      SELECT count(*) FROM seasons.runner AS r
      WHERE r.is_active AND r.team = 'UA' AND r.graduating_class BETWEEN number + 1 AND number + 4
        AND CASE season WHEN 'xc' THEN r.does_xc ELSE r.does_track END),
    'rewards', seasons.rewards_json(season, number, total));
END
$$;

SELECT settled.declare_callers('seasons',
  contract => '{progress, rewards, create_reward, update_reward, delete_reward}');
