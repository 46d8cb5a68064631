import Postgres

/// Where the server's time goes in one database, by `pg_stat_statements`.
enum Breakdown {
  /// The first that fits; the text of a statement is the program's own.
  private static let parts: [(name: String, pattern: String)] = [
    ("events numbered", "%number_events%"),
    ("look at what is due", "%pg_snapshot_xmin%"),
    ("claim", "SELECT t.id FROM racing.race%"),
    ("claim", "WITH locked (id) AS MATERIALIZED (SELECT t.id FROM racing.race%"),
    ("gather", "WITH hold AS MATERIALIZED%"),
    ("gather", "SELECT race_id, id, athlete_id%"),
    ("gather", "SELECT race_id, array_agg%"),
    ("apply: entries", "UPDATE racing.entry%"),
    ("apply: money", "INSERT INTO racing.journal%"),
    ("apply: money", "%INSERT INTO racing.posting%"),
    ("apply: money", "SELECT athlete_id, balance_pence%"),
    ("apply: money", "UPDATE racing.wallet%"),
    ("apply: settlements", "INSERT INTO racing.settlement%"),
    ("apply: payouts", "INSERT INTO racing.payout%"),
    ("apply: races", "UPDATE racing.race%"),
    ("apply: events", "INSERT INTO settled.event_pending%"),
    ("rest", "%"),
  ]

  static func reset(_ owner: Connection) async throws {
    _ = try await owner.query("SELECT pg_stat_statements_reset()")
    _ = try await owner.query("SELECT pg_stat_reset_shared('wal')")
  }

  /// Milliseconds of planning and executing for each part, and those that the log took; of the daemon's role only.
  static func read(_ owner: Connection) async throws -> [(name: String, milliseconds: Double)] {
    let rows = try await owner.query(
      """
      SELECT s.query, (s.total_plan_time + s.total_exec_time)::double precision
      FROM pg_stat_statements AS s WHERE s.userid = 'settled_daemon'::regrole AND s.toplevel
        AND s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    ).decode(String.self, Double.self)
    var times: [String: Double] = [:]
    for (query, milliseconds) in rows {
      let part = parts.first { query.matches($0.pattern) }
      times[part?.name ?? "rest", default: 0] += milliseconds
    }
    let log = try await owner.query("SELECT wal_write_time + wal_sync_time FROM pg_stat_wal").one(Double.self)
    var names: [String] = []
    for (name, _) in parts where !names.contains(name) { names.append(name) }
    return names.map { ($0, times[$0] ?? 0) } + [("log written and synced", log)]
  }

  /// Mean milliseconds, with planning, and pages of the daemon's statements that look like this; NaN without a call.
  static func mean(_ pattern: String, _ owner: Connection) async throws -> (Double, Double) {
    try await owner.query(
      """
      SELECT coalesce(sum(s.total_plan_time + s.total_exec_time) / sum(s.calls), 'NaN')::double precision,
        coalesce(sum(s.shared_blks_hit + s.shared_blks_read) / sum(s.calls), 0)::double precision
      FROM pg_stat_statements AS s JOIN pg_roles AS r ON r.oid = s.userid
      WHERE r.rolname = 'settled_daemon' AND s.query LIKE \(pattern)
        AND s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    ).one(Double.self, Double.self)
  }
}

extension String {
  /// LIKE, as far as it is needed here: a percent sign at either end.
  fileprivate func matches(_ pattern: String) -> Bool {
    let text = pattern.split(separator: "%").joined()
    return pattern.hasPrefix("%") ? contains(text) || text.isEmpty : hasPrefix(text)
  }
}
