import Postgres

/// One look at everything: when each work is due next, in one statement.
struct DueScan: Sendable {
  /// Time until each work is due; zero or less: now; nil: nothing to wait for.
  let due: [String: Duration?]
  /// The oldest transaction that may still write, and the next to begin: see `Bell`.
  let oldest: UInt64
  let next: UInt64

  /// Business due-ness is measured on the business clock, the end of a back-off on the real one.
  static func statement(of works: [any Work]) -> Statement {
    let rows = works.map { work in
      "SELECT '\(work.name)' AS name, (\(work.nextDue)) AS due_at"
    }
    return """
      SELECT w.name,
        (1e6 * extract(epoch FROM least(
          w.due_at - c.now,
          (SELECT min(f.next_attempt_at) FROM settled.failure AS f
           WHERE f.job = w.name AND NOT f.quarantined AND f.dropped_at IS NULL
             AND f.last_at <= clock_timestamp() AND clock_timestamp() < f.next_attempt_at) - clock_timestamp())))::bigint,
        pg_snapshot_xmin(pg_current_snapshot())::text,
        pg_snapshot_xmax(pg_current_snapshot())::text
      FROM (\(raw: rows.joined(separator: "\n  UNION ALL "))) AS w,
        (SELECT settled.clock() AS now) AS c
      """
  }

  static func read(_ statement: Statement, from session: some Session) async throws(PostgresError) -> DueScan {
    let rows = try await session.query(statement).decode(String.self, Int64?.self, String.self, String.self)
    var due: [String: Duration?] = [:]
    for (name, microseconds, _, _) in rows {
      due[name] = .some(microseconds.map { .microseconds($0) })
    }
    return DueScan(
      due: due, oldest: rows.first.flatMap { UInt64($0.2) } ?? 0, next: rows.first.flatMap { UInt64($0.3) } ?? 0)
  }
}
