-- The rewards that are reached, and since when: the one decision that the reward-check and all readers share. Source:
-- Seasons.docc/Rewards.md, "The date".

-- The sum at the end of each version, after what its change moved and what was earned in it. What the reward-check has
-- not yet added counts like the rest. A version in which a threshold changed is there, too.
CREATE OR REPLACE FUNCTION seasons.team_totals(season text, year integer)
RETURNS TABLE (version bigint, ends bigint)
LANGUAGE sql STABLE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT p.version, (sum(sum(p.points)) OVER (ORDER BY p.version))::bigint
  FROM (
    SELECT t.version, t.moved + t.earned AS points FROM seasons.team_total AS t
      WHERE t.season = team_totals.season AND t.year = team_totals.year
    UNION ALL
    SELECT c.version, c.moved + c.earned FROM seasons.team_change AS c
      WHERE c.season = team_totals.season AND c.year = team_totals.year
    UNION ALL
    SELECT h.version, 0 FROM seasons.threshold AS h JOIN seasons.reward AS w ON w.id = h.reward_id
      WHERE w.season = team_totals.season AND w.year = team_totals.year
  ) AS p GROUP BY p.version
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

-- The first version in which each reward is reached that is not yet recorded, and by how much its total then
-- exceeds the threshold of that version.
CREATE OR REPLACE FUNCTION seasons.first_reached(season text, year integer)
RETURNS TABLE (reward_id bigint, version bigint, surplus bigint)
LANGUAGE sql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT DISTINCT ON (h.reward_id) h.reward_id, t.version, t.ends - h.points
  FROM (
    SELECT x.reward_id, x.points, x.version AS since,
      lead(x.version) OVER (PARTITION BY x.reward_id ORDER BY x.version) AS until
    FROM seasons.threshold AS x JOIN seasons.reward AS w ON w.id = x.reward_id
    WHERE w.season = first_reached.season AND w.year = first_reached.year AND w.achieved_date IS NULL
  ) AS h
  JOIN seasons.team_totals(season, year) AS t
    ON t.version >= h.since AND (h.until IS NULL OR t.version < h.until) AND t.ends >= h.points
  ORDER BY h.reward_id, t.version
$$;

-- Rewards that are reached and not yet recorded, with their dates. A reward is reached in the first version whose total
-- met the threshold of that version: by its change, or by the row that did, wherever that row is the later. A row can
-- be later than a version that it does not belong to, because changes and earnings do not wait for each other.
--
-- The rows are read backwards, because rewards are asked for soon after they are reached; once for each version.
CREATE OR REPLACE FUNCTION seasons.reached(season text, year integer)
RETURNS TABLE (reward_id bigint, achieved_date timestamptz)
LANGUAGE plpgsql STABLE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  later CURSOR (version bigint, since timestamptz) FOR
    SELECT e.points, e.occurred_at FROM seasons.earning AS e
    WHERE e.season = reached.season AND e.year = reached.year AND e.version <= later.version AND e.occurred_at > since
    ORDER BY e.occurred_at DESC, e.id DESC;
  reading bigint;
  row record;
  passed bigint;
  f record;
BEGIN
  IF NOT EXISTS (
    SELECT FROM seasons.reward AS w WHERE w.season = reached.season AND w.year = reached.year AND w.achieved_date IS NULL)
  THEN
    RETURN;
  END IF;
  FOR f IN
    SELECT r.*, v.at FROM seasons.first_reached(season, year) AS r JOIN seasons.version AS v ON v.number = r.version
    ORDER BY r.version, r.surplus
  LOOP
    IF reading IS DISTINCT FROM f.version THEN
      IF reading IS NOT NULL THEN
        CLOSE later;
      END IF;
      -- A name of its own: the transaction may have a cursor that is called so.
      later := NULL;
      OPEN later (f.version, f.at);
      reading := f.version;
      passed := 0;
    END IF;
    WHILE passed <= f.surplus LOOP
      FETCH later INTO row;
      EXIT WHEN NOT FOUND;
      passed := passed + row.points;
    END LOOP;
    reward_id := f.reward_id;
    achieved_date := CASE WHEN passed > f.surplus THEN row.occurred_at ELSE f.at END;
    RETURN NEXT;
  END LOOP;
  IF reading IS NOT NULL THEN
    CLOSE later;
  END IF;
END
$$;

-- Records what is reached, with one event each: all of a season, or one reward. It is recorded once, whoever asks.
-- Two who record at once lock the rewards in the same order.
CREATE OR REPLACE FUNCTION seasons.record_reached(season text, year integer, only_id bigint DEFAULT NULL)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH found AS MATERIALIZED (
    SELECT r.* FROM seasons.reached(record_reached.season, record_reached.year) AS r
    WHERE only_id IS NULL OR r.reward_id = only_id
  ), held AS MATERIALIZED (
    SELECT w.id FROM seasons.reward AS w WHERE w.id IN (SELECT f.reward_id FROM found AS f)
    ORDER BY w.id FOR NO KEY UPDATE
  ), won AS (
    UPDATE seasons.reward AS w SET achieved_date = f.achieved_date
    FROM held AS h JOIN found AS f ON f.reward_id = h.id
    WHERE w.id = h.id AND w.achieved_date IS NULL
    RETURNING w.*
  )
  INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT 'reward.achieved', w.id::text, jsonb_build_object(
        'rewardId', w.id, 'season', w.season, 'year', seasons.year_text(w.year),
        'achievedDate', settled.iso(w.achieved_date)), settled.clock()
    FROM won AS w ORDER BY w.achieved_date, w.id
$$;

SELECT settled.declare_callers('seasons', daemon => '{record_reached, reached, first_reached, team_totals}');
