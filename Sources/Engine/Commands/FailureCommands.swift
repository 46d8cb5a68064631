import Postgres

/// Commands about items that failed.
package struct FailureCommands: Sendable {
  /// Jobs whose items hold money: these are never dropped.
  let moneyJobs: Set<String>

  package init(moneyJobs: Set<String>) {
    self.moneyJobs = moneyJobs
  }

  package var commands: [Command] {
    let id = Command.Parameter("id", .integer, required: true, "The failure.")
    return [
      Command(
        "failures", "/v1/failures", level: .read, summary: "Items that failed and have not succeeded since.",
        effect: .read { _, transaction in try await transaction.query(Self.list).one(JSON.self) }),
      Command(
        "failure.retry", "/v1/failures/{id}/retry", post: true, level: .operate,
        summary: "Try an item again now, its attempts forgotten.", parameters: [id], effect: .change(retry)),
      Command(
        "failure.drop", "/v1/failures/{id}/drop", post: true, level: .operate,
        summary: "Leave an item out until its inputs change; refused for items that hold money.",
        parameters: [id, Command.Parameter("reason", .text, required: true, "Why.")], effect: .change(drop)),
    ]
  }

  private static let row = """
    jsonb_build_object('id', f.id, 'job', f.job, 'key', f.key, 'attempts', f.attempts,
      'firstAt', settled.iso(f.first_at), 'lastAt', settled.iso(f.last_at),
      'nextAttemptAt', CASE WHEN NOT f.quarantined AND f.dropped_at IS NULL THEN settled.iso(f.next_attempt_at) END,
      'quarantined', f.quarantined, 'dropped', f.dropped_reason, 'error', f.error)
    """

  private static let list: Statement = """
    SELECT coalesce(jsonb_agg(\(raw: row) ORDER BY f.quarantined DESC, f.id), '[]')
    FROM (SELECT * FROM settled.failure ORDER BY quarantined DESC, id LIMIT 1000) AS f
    """

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
