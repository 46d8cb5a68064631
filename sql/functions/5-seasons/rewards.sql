-- Rewards and team progress. Readers see a reward as achieved as soon as the transaction that reached it commits.

-- Functions of earlier releases.
DROP FUNCTION IF EXISTS seasons.whole(jsonb, text, text, bigint, bigint);
DROP FUNCTION IF EXISTS seasons.words(jsonb, text, text, integer, integer);

-- The season and year in a request. The year can be text or a number.
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

-- The reward fields that every response contains.
CREATE OR REPLACE FUNCTION seasons.reward_json(w seasons.reward, achieved_date timestamptz)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'id', w.id, 'season', w.season, 'year', seasons.year_text(w.year), 'description', w.description,
    'pointThreshold', w.point_threshold, 'displayOrder', w.display_order,
    'isAchieved', achieved_date IS NOT NULL, 'achievedDate', settled.iso(achieved_date));
END
$$;

-- A reward in the format returned to callers that create or update it.
CREATE OR REPLACE FUNCTION seasons.kept_reward_json(w seasons.reward)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN seasons.reward_json(w, coalesce(w.achieved_date,
      (SELECT r.achieved_date FROM seasons.reached(w.season, w.year) AS r WHERE r.reward_id = w.id)))
    || jsonb_build_object('createdAt', settled.iso(w.created_at), 'updatedAt', settled.iso(w.updated_at));
END
$$;

-- Refuses a display order that another reward in the season already has.
CREATE OR REPLACE FUNCTION seasons.refuse_display_order()
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.fail('SD400', 'display-order', 'another reward in this season already has this display order');
END
$$;

-- A new threshold gets its own version and applies from that version onwards. The reward-check job runs immediately.
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
  w.description := settled.text_of(request, 'description', min => 1);
  w.point_threshold := settled.number_of(request, 'pointThreshold', 1, 1000000000, is_whole => true)::bigint;
  w.display_order := settled.number_of(request, 'displayOrder', 1, 5000, is_whole => true)::integer;
  w.created_by := settled.text_of(request, 'createdBy', is_optional => true);
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
COMMENT ON FUNCTION seasons.create_reward(jsonb) IS
$$Creates a reward that the team reaches by earning points in a season.
request: a JSON object.
  season (text): xc or track.
  year (text or number): four digits.
  description (text): 1 to 10,000 characters.
  pointThreshold (points): a whole number from 1 to 1,000,000,000.
  displayOrder (whole number): 1 to 5,000, unique within a season.
  createdBy (text, optional): at most 10,000 characters.
Returns id, season, year, description, pointThreshold, displayOrder, isAchieved, achievedDate, createdAt and
    updatedAt.
Refuses: SD400 created-by, description, display-order, isolation, key, point-threshold, request, season, year.
Example: SELECT seasons.create_reward(request => '{"season": "xc", "year": "2031", "description": "Pizza night",
    "pointThreshold": 5000, "displayOrder": 2, "createdBy": "Coach Kim"}')$$;

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
  w.description := settled.text_of(request, 'description', min => 1, is_optional => true);
  w.point_threshold := settled.number_of(
    request, 'pointThreshold', 1, 1000000000, is_whole => true, is_optional => true)::bigint;
  w.display_order := settled.number_of(
    request, 'displayOrder', 1, 5000, is_whole => true, is_optional => true)::integer;
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
COMMENT ON FUNCTION seasons.update_reward(bigint, jsonb) IS
$$Changes a reward. Absent or null keys leave their values unchanged. A team that has reached the reward keeps it.
request: a JSON object.
  description (text, optional): 1 to 10,000 characters.
  pointThreshold (points, optional): a whole number from 1 to 1,000,000,000.
  displayOrder (whole number, optional): 1 to 5,000, unique within a season.
Returns the reward in the format of seasons.create_reward.
Refuses: SD400 description, display-order, id, isolation, key, point-threshold, request; SD404 reward.
Example: SELECT seasons.update_reward(id => 1, request => '{"pointThreshold": 1200}')$$;

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
COMMENT ON FUNCTION seasons.delete_reward(bigint) IS
$$Deletes a reward. If the reward has been reached but has no event yet, the call writes the event first.
Returns nothing.
Refuses: SD400 id, isolation; SD404 reward.
Example: SELECT seasons.delete_reward(id => 1)$$;

-- A season's rewards in display order.
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
COMMENT ON FUNCTION seasons.rewards(text, text) IS
$$Lists a season's rewards in display order.
season: xc or track.
year: four digits.
Returns an array of id, season, year, description, pointThreshold, displayOrder, isAchieved, achievedDate and
    progressPercentage, which is always null in this function.
Refuses: SD400 season, year.
Example: SELECT seasons.rewards(season => 'xc', year => '2031')$$;

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
COMMENT ON FUNCTION seasons.progress(text, text) IS
$$Retrieves the team's progress in a season.
season: xc or track.
year: four digits.
Returns season, year, teamTotalPoints, activeRosterCount and rewards. rewards has the format of
    seasons.rewards, with progressPercentage from 0 to 100 with two decimal places, rounded down.
Refuses: SD400 season, year.
Example: SELECT seasons.progress(season => 'xc', year => '2031')$$;

SELECT settled.declare_callers('seasons',
  contract => '{progress, rewards, create_reward, update_reward, delete_reward}');
