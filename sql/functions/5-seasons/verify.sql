-- Recomputes what is kept beside the ledger, from one snapshot, and lists every difference:
--   points          what a runner's row stores, against the sum of the ledger;
--   seasonal total  a runner's total of a season, against the sum of the ledger;
--   team total      a team's total, against the seasonal totals of those on its roster;
--   version N       what was earned in a version, against the sum of its rows in the ledger;
--   reward          the lowest threshold that an achieved reward ever had, against the highest total since it began;
--   threshold       a reward's threshold, against the one that its latest version has;
--   not recorded    the threshold of a reward that is reached while no change waits for the reward-check, against the
--                   total: nothing would ever record it.
CREATE OR REPLACE FUNCTION seasons.verify()
RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  WITH seasonal AS (
    SELECT runner_id, season, year, coalesce(s.points, 0) AS stored, coalesce(e.points, 0) AS computed
    FROM seasons.seasonal_total AS s
    FULL JOIN (
      SELECT x.runner_id, x.season, x.year, sum(x.points) AS points FROM seasons.earning AS x
      WHERE x.season IS NOT NULL AND x.year IS NOT NULL GROUP BY x.runner_id, x.season, x.year
    ) AS e USING (runner_id, season, year)
  ), version AS (
    SELECT p.season, p.year, p.version, sum(p.moved) AS moved, sum(p.earned) AS earned
    FROM (
      SELECT t.season, t.year, t.version, t.moved, t.earned FROM seasons.team_total AS t
      UNION ALL SELECT c.season, c.year, c.version, c.moved, c.earned FROM seasons.team_change AS c
    ) AS p GROUP BY p.season, p.year, p.version
  ), team AS (
    SELECT season, year, coalesce(v.points, 0) AS stored, coalesce(s.points, 0) AS computed
    FROM (SELECT x.season, x.year, sum(x.moved + x.earned) AS points FROM version AS x GROUP BY x.season, x.year) AS v
    FULL JOIN (
      SELECT t.season, t.year, sum(t.points) AS points
      FROM seasons.seasonal_total AS t JOIN seasons.runner AS r ON r.id = t.runner_id
      WHERE r.is_active AND seasons.runs(r, t.season, t.year) GROUP BY t.season, t.year
    ) AS s USING (season, year)
  ), earned AS (
    SELECT season, year, version, coalesce(v.earned, 0) AS stored, coalesce(e.points, 0) AS computed
    FROM version AS v
    FULL JOIN (
      SELECT x.season, x.year, x.version, sum(x.points) AS points FROM seasons.earning AS x
      WHERE x.version IS NOT NULL GROUP BY x.season, x.year, x.version
    ) AS e USING (season, year, version)
  ), total AS MATERIALIZED (
    SELECT s.season, s.year, t.version, t.ends
    FROM (SELECT DISTINCT w.season, w.year FROM seasons.reward AS w WHERE w.achieved_date IS NOT NULL) AS s,
      LATERAL seasons.team_totals(s.season, s.year) AS t
  ), achieved AS (
    SELECT w.id, w.season, w.year, h.points AS stored, max(t.ends) AS computed
    FROM seasons.reward AS w
    JOIN (
      SELECT x.reward_id, min(x.points) AS points, min(x.version) AS since FROM seasons.threshold AS x GROUP BY x.reward_id
    ) AS h ON h.reward_id = w.id
    JOIN total AS t ON t.season = w.season AND t.year = w.year AND t.version >= h.since
    WHERE w.achieved_date IS NOT NULL GROUP BY w.id, h.points
  ), threshold AS (
    SELECT w.id, w.season, w.year, w.point_threshold AS stored, coalesce((
      SELECT h.points FROM seasons.threshold AS h WHERE h.reward_id = w.id ORDER BY h.version DESC LIMIT 1), 0) AS computed
    FROM seasons.reward AS w
  ), checked AS (
    SELECT DISTINCT w.season, w.year FROM seasons.reward AS w
    WHERE w.achieved_date IS NULL AND NOT EXISTS (
      SELECT FROM seasons.team_change AS c WHERE c.season = w.season AND c.year = w.year)
  ), difference AS (
    SELECT 'points' AS what, r.id AS runner_id, NULL::bigint AS reward_id, NULL AS season, NULL::integer AS year,
      r.points AS stored, coalesce(e.points, 0) AS computed
    FROM seasons.runner AS r
    LEFT JOIN (SELECT x.runner_id, sum(x.points) AS points FROM seasons.earning AS x GROUP BY x.runner_id) AS e
      ON e.runner_id = r.id
    WHERE r.points <> coalesce(e.points, 0)
    UNION ALL
    SELECT 'seasonal total', runner_id, NULL, season, year, stored, computed FROM seasonal WHERE stored <> computed
    UNION ALL
    SELECT 'team total', NULL, NULL, season, year, stored, computed FROM team WHERE stored <> computed
    UNION ALL
    SELECT format('version %s', version), NULL, NULL, season, year, stored, computed FROM earned WHERE stored <> computed
    UNION ALL
    SELECT 'reward', NULL, id, season, year, stored, computed FROM achieved WHERE stored > computed
    UNION ALL
    SELECT 'threshold', NULL, id, season, year, stored, computed FROM threshold WHERE stored <> computed
    UNION ALL
    SELECT 'not recorded', NULL, w.id, w.season, w.year, w.point_threshold, seasons.team_points(w.season, w.year)
    FROM checked AS k, LATERAL seasons.reached(k.season, k.year) AS r JOIN seasons.reward AS w ON w.id = r.reward_id
  )
  SELECT jsonb_build_object(
    'totals', (SELECT count(*) FROM seasonal) + (SELECT count(*) FROM team),
    'rewards', (SELECT count(*) FROM seasons.reward),
    'differences', (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'what', d.what, 'runnerId', d.runner_id, 'rewardId', d.reward_id, 'season', d.season,
        'year', seasons.year_text(d.year), 'stored', d.stored, 'computed', d.computed)
        ORDER BY d.what, d.season, d.year, d.runner_id, d.reward_id), '[]')
      FROM difference AS d))
$$;

SELECT settled.declare_callers('seasons', daemon => '{verify}', fixed => '{verify}');
