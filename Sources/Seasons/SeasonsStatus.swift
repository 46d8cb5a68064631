import Postgres

/// `seasons status`: the newest seasons, and what waits for the jobs.
enum SeasonsStatus {
  /// Years of each season that are shown.
  static let yearsMax: Int32 = 10

  /// The whole answer. Years are found by skipping along the indexes, and totals by their versions.
  static let statement: Statement = """
    WITH RECURSIVE found (season, year, place) AS (
      SELECT s.name, greatest((SELECT max(w.year) FROM seasons.reward AS w WHERE w.season = s.name),
        (SELECT max(t.year) FROM seasons.team_total AS t WHERE t.season = s.name)), 1
      FROM unnest('{xc,track}'::text[]) AS s (name)
      UNION ALL
      SELECT f.season, greatest((SELECT max(w.year) FROM seasons.reward AS w WHERE w.season = f.season AND w.year < f.year),
        (SELECT max(t.year) FROM seasons.team_total AS t WHERE t.season = f.season AND t.year < f.year)), f.place + 1
      FROM found AS f WHERE f.year IS NOT NULL AND f.place < \(yearsMax)
    )
    SELECT jsonb_build_object(
      'seasons', coalesce((
        SELECT jsonb_agg(jsonb_build_object('season', f.season, 'year', f.year, 'points', t.points,
          'rewards', w.rewards, 'achieved', w.achieved, 'nextThreshold', w.next) ORDER BY f.year DESC, f.season)
        FROM found AS f
        CROSS JOIN LATERAL (SELECT coalesce(sum(x.moved + x.earned), 0)::bigint AS points FROM seasons.team_total AS x
          WHERE x.season = f.season AND x.year = f.year) AS t
        CROSS JOIN LATERAL (
          SELECT count(*) AS rewards, count(x.achieved_date) AS achieved,
            min(x.point_threshold) FILTER (WHERE x.achieved_date IS NULL) AS next
          FROM seasons.reward AS x WHERE x.season = f.season AND x.year = f.year) AS w
        WHERE f.year IS NOT NULL), '[]'),
      'waitingChanges', (SELECT count(*) FROM seasons.team_change),
      'oldestChangeAt', settled.iso((SELECT min(c.at) FROM seasons.team_change AS c)),
      'uncountedViews', (SELECT count(*) FROM seasons.uncounted_view),
      'oldestViewAt', settled.iso((SELECT min(v.viewed_at) FROM seasons.uncounted_view AS v)))
    """
}
