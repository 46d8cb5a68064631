import Postgres

/// The statements that combine the sources' marks.
///
/// A source's statement has the columns `at`, `until`, `job`, `key`, `count` and `pence` (`bigint`), `outcome`,
/// `lateness` (a `bigint` of milliseconds) and `note`. `until`, `key`, `pence`, `lateness` and `note` may be null.
enum TimelineStatements {
  static func marks(_ source: Statement, limit: Int64) -> Statement {
    """
    SELECT m.at, m.until, m.job, m.key, m.count, m.pence, m.outcome, m.lateness, m.note
    FROM (\(fragment: source)) AS m ORDER BY m.at, m.key LIMIT \(limit)
    """
  }

  /// The marks of each `bin` of seconds as one for each job and outcome.
  static func counted(_ source: Statement, by bin: Int64, limit: Int64) -> Statement {
    """
    SELECT date_bin(\(bin) * interval '1 second', m.at, '1970-01-01Z') AS at, NULL::timestamptz AS until, m.job, NULL::text AS key,
      sum(m.count)::bigint AS count, sum(m.pence)::bigint AS pence, m.outcome, max(m.lateness) AS lateness,
      NULL::text AS note
    FROM (\(fragment: source)) AS m GROUP BY 1, m.job, m.outcome ORDER BY 1, m.job, m.outcome LIMIT \(limit)
    """
  }

  /// By job: how many marks have a lateness, its quantiles, and how many lie in each bucket.
  static func lateness(_ source: Statement) -> Statement {
    let bounds = Histogram.bounds.map { Int64($0 * 1000) }
    let buckets = (0...bounds.count).map { place in
      let low = place > 0 ? "l.ms > \(bounds[place - 1])" : "true"
      let high = place < bounds.count ? "l.ms <= \(bounds[place])" : "true"
      return "count(*) FILTER (WHERE \(low) AND \(high))"
    }
    return """
      SELECT l.job, count(*) AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY l.ms) AS p50,
        percentile_disc(0.99) WITHIN GROUP (ORDER BY l.ms) AS p99, max(l.ms) AS max,
        ARRAY[\(raw: buckets.joined(separator: ", "))]::bigint[] AS buckets
      FROM (SELECT m.job, greatest(0, m.lateness) AS ms FROM (\(fragment: source)) AS m
        WHERE m.lateness IS NOT NULL) AS l
      GROUP BY l.job ORDER BY l.job LIMIT \(Int64(Figure.namesMax))
      """
  }
}
