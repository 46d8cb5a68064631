-- Which rewards are reached, and since when: the one decision that the reward-check and all readers share.

-- The sum at the beginning of each version, after what its change moved, and at its end, after what was earned in it.
-- What the reward-check has not yet added counts like the rest. A version in which a threshold changed is there, too.
CREATE OR REPLACE FUNCTION seasons.team_totals(season text, year integer)
RETURNS TABLE (version bigint, starts bigint, ends bigint)
LANGUAGE sql STABLE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
  WITH part AS (
    SELECT p.version, sum(p.moved) AS moved, sum(p.earned) AS earned
    FROM (
      SELECT t.version, t.moved, t.earned FROM seasons.team_total AS t
        WHERE t.season = team_totals.season AND t.year = team_totals.year
      UNION ALL
      SELECT c.version, c.moved, c.earned FROM seasons.team_change AS c
        WHERE c.season = team_totals.season AND c.year = team_totals.year
      UNION ALL
      SELECT h.version, 0, 0 FROM seasons.threshold AS h JOIN seasons.reward AS w ON w.id = h.reward_id
        WHERE w.season = team_totals.season AND w.year = team_totals.year
    ) AS p GROUP BY p.version
  ), running AS (
    SELECT p.version, p.earned, sum(p.moved + p.earned) OVER (ORDER BY p.version) AS ends FROM part AS p
  )
  SELECT r.version, (r.ends - r.earned)::bigint, r.ends::bigint FROM running AS r
$$;

-- The total of a team.
CREATE OR REPLACE FUNCTION seasons.team_points(season text, year integer)
RETURNS bigint
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(sum(p.points), 0)::bigint
  FROM (
    SELECT t.moved + t.earned AS points FROM seasons.team_total AS t
      WHERE t.season = team_points.season AND t.year = team_points.year
    UNION ALL
    SELECT c.moved + c.earned FROM seasons.team_change AS c
      WHERE c.season = team_points.season AND c.year = team_points.year
  ) AS p
$$;

-- When the sum of a version exceeded what it lacks of its end by `surplus`. It reads backwards, because rewards are asked
-- for soon after they are reached.
CREATE OR REPLACE FUNCTION seasons.crossed_at(season text, year integer, version bigint, surplus bigint)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  passed bigint := 0;
  e record;
BEGIN
  FOR e IN
    SELECT x.points, x.occurred_at FROM seasons.earning AS x
    WHERE x.season = crossed_at.season AND x.year = crossed_at.year AND x.version = crossed_at.version
    ORDER BY x.occurred_at DESC, x.id DESC
  LOOP
    passed := passed + e.points;
    IF passed > surplus THEN
      RETURN e.occurred_at;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

-- Rewards that are reached and not yet recorded, with their dates. A reward is reached in the first version whose total
-- met the threshold of that version: at its beginning where the change made it so, else with the row that did.
CREATE OR REPLACE FUNCTION seasons.reached(season text, year integer)
RETURNS TABLE (reward_id bigint, achieved_date timestamptz)
LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM seasons.reward AS w WHERE w.season = reached.season AND w.year = reached.year AND w.achieved_date IS NULL)
  THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT f.reward_id,
      CASE WHEN f.starts >= f.points THEN f.at
        ELSE greatest(f.at, seasons.crossed_at(reached.season, reached.year, f.version, f.ends - f.points)) END
    FROM (
      SELECT DISTINCT ON (h.reward_id) h.reward_id, h.points, t.version, t.starts, t.ends, v.at
      FROM (
        SELECT x.reward_id, x.points, x.version AS since,
          lead(x.version) OVER (PARTITION BY x.reward_id ORDER BY x.version) AS until
        FROM seasons.threshold AS x JOIN seasons.reward AS w ON w.id = x.reward_id
        WHERE w.season = reached.season AND w.year = reached.year AND w.achieved_date IS NULL
      ) AS h
      JOIN seasons.team_totals(reached.season, reached.year) AS t
        ON t.version >= h.since AND (h.until IS NULL OR t.version < h.until) AND t.ends >= h.points
      JOIN seasons.version AS v ON v.number = t.version
      ORDER BY h.reward_id, t.version
    ) AS f;
END
$$;

-- Records what is reached, with one event each: all of a season, or one reward. It is recorded once, whoever asks.
CREATE OR REPLACE FUNCTION seasons.record_reached(season text, year integer, only_id bigint DEFAULT NULL)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH won AS (
    UPDATE seasons.reward AS w SET achieved_date = r.achieved_date
    FROM seasons.reached(record_reached.season, record_reached.year) AS r
    WHERE w.id = r.reward_id AND w.achieved_date IS NULL AND (only_id IS NULL OR w.id = only_id)
    RETURNING w.*
  )
  INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT 'reward.achieved', w.id::text, jsonb_build_object(
        'rewardId', w.id, 'season', w.season, 'year', seasons.year_text(w.year),
        'achievedDate', settled.iso(w.achieved_date)), settled.clock()
    FROM won AS w ORDER BY w.achieved_date, w.id
$$;
