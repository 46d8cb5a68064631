package import Postgres

/// The progress of a run of a built-in schedule, published in its session's `application_name`.
///
/// All nodes see it before the run commits, and a run that dies leaves nothing behind. The name is
/// `settled ledger-audit 5000/120000`: the schedule, the items that are done, and all of them.
package enum RunProgress {
  /// Publishes it until the run's transaction ends.
  package static func tell(_ schedule: String, done: Int64, total: Int64) -> Statement {
    let name = "settled \(schedule) \(done)/\(total)"
    return "SELECT set_config('application_name', \(name), true)"
  }

  /// SQL of a row `(done, total)` for the built-in schedule `s.name`; no row if no progress is published.
  ///
  /// Only sessions of the daemon's own role count: any client can choose its `application_name`.
  package static let row = #"""
    SELECT t.parts[1]::bigint AS done, t.parts[2]::bigint AS total
    FROM pg_stat_activity AS a,
      regexp_match(a.application_name, '^settled ' || s.name || ' (\d{1,18})/(\d{1,18})$') AS t (parts)
    WHERE a.datname = current_database() AND a.usename = current_user AND t.parts IS NOT NULL LIMIT 1
    """#
}
