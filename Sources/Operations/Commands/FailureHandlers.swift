import ControlAPI
import Postgres

/// Commands about items that failed.
package struct FailureHandlers: Sendable {
  /// Jobs whose items hold money: these are never dropped.
  let moneyJobs: Set<String>

  package init(moneyJobs: Set<String>) {
    self.moneyJobs = moneyJobs
  }

  package var commands: [Command] {
    [
      Command(.failures, .read(Self.list)), Command(.failureRetry, .change(retry)),
      Command(.failureDrop, .change(drop)),
    ]
  }

  private static let row = """
    jsonb_build_object('id', f.id, 'job', f.job, 'key', f.key, 'attempts', f.attempts,
      'firstAt', settled.iso(f.first_at), 'lastAt', settled.iso(f.last_at),
      'nextAttemptAt', CASE WHEN NOT f.quarantined AND f.dropped_at IS NULL THEN settled.iso(f.next_attempt_at) END,
      'quarantined', f.quarantined, 'dropped', f.dropped_reason, 'error', f.error)
    """

  private static let pageMax: Int64 = 1000

  private static func list(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? pageMax
    guard (1...pageMax).contains(limit) else { throw CommandError(.usage, rule: "limit", "limit is 1 to \(pageMax)") }
    // Both come from the last row of a page: it may have succeeded since.
    let after = call.integer("after")
    let isAmongOthers = after != nil && !call.flag("quarantined")
    return try await transaction.query(
      page(
        quarantinedAfter: isAmongOthers ? .max : after ?? 0, othersAfter: isAmongOthers ? after ?? 0 : 0, limit: limit)
    ).one(JSON.self)
  }

  /// Each half is read along its part of the index.
  static func page(quarantinedAfter: Int64, othersAfter: Int64, limit: Int64) -> Statement {
    """
    SELECT coalesce(jsonb_agg(\(raw: row) ORDER BY f.quarantined DESC, f.id), '[]')
    FROM (
      SELECT x.* FROM (
        (SELECT * FROM settled.failure WHERE quarantined AND id > \(quarantinedAfter) ORDER BY id LIMIT \(limit))
        UNION ALL
        (SELECT * FROM settled.failure WHERE NOT quarantined AND id > \(othersAfter) ORDER BY id LIMIT \(limit))
      ) AS x ORDER BY x.quarantined DESC, x.id LIMIT \(limit)
    ) AS f
    """
  }

  private func found(_ call: CommandCall, _ transaction: Transaction) async throws -> (Int64, String, JSON) {
    let id = call.integer("id") ?? 0
    let statement: Statement = """
      SELECT f.id, f.job, \(raw: Self.row) FROM settled.failure AS f WHERE f.id = \(id) FOR NO KEY UPDATE
      """
    guard let row = try await transaction.query(statement).first(Int64.self, String.self, JSON.self) else {
      throw CommandError(.missing, rule: "failure", "there is no failure \(id); it may have succeeded since")
    }
    return row
  }

  private func retry(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (id, job, before) = try await found(call, transaction)
    let after = try await transaction.query(
      """
      UPDATE settled.failure AS f SET attempts = 0, quarantined = false, dropped_at = NULL, dropped_reason = NULL,
        next_attempt_at = clock_timestamp()
      WHERE f.id = \(id) RETURNING \(raw: Self.row)
      """
    ).one(JSON.self)
    return CommandChange(target: "\(job) \(id)", before: before, after: after)
  }

  private func drop(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (id, job, before) = try await found(call, transaction)
    if moneyJobs.contains(job) {
      throw CommandError(
        .refused, rule: "money", "an item of \(job) holds money: retry it, race cancel, or race settle --override")
    }
    let after = try await transaction.query(
      """
      UPDATE settled.failure AS f SET dropped_at = clock_timestamp(), dropped_reason = \(call.text("reason")),
        quarantined = false
      WHERE f.id = \(id) RETURNING \(raw: Self.row)
      """
    ).one(JSON.self)
    return CommandChange(target: "\(job) \(id)", before: before, after: after)
  }
}
