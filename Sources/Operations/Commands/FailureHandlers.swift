import ControlAPI
import Postgres
import Scheduling

/// Commands about items that failed.
package struct FailureHandlers: Sendable {
  /// Jobs whose items hold money: their items are never dropped.
  let moneyJobs: Set<String>
  let heldMoney: [HeldMoney]

  package init(moneyJobs: Set<String>, heldMoney: [HeldMoney] = []) {
    self.moneyJobs = moneyJobs
    self.heldMoney = heldMoney
  }

  package var commands: [Command] {
    [
      Command(.failures, .read(list)), Command(.failureRetry, .change(retry)),
      Command(.failureDrop, .change(drop)),
    ]
  }

  private static let row = """
    jsonb_build_object('id', f.id, 'job', f.job, 'key', f.key, 'attempts', f.attempts,
      'firstAt', settled.iso(f.first_at), 'lastAt', settled.iso(f.last_at),
      'nextAttemptAt', CASE WHEN NOT f.quarantined AND f.dropped_at IS NULL THEN settled.iso(f.next_attempt_at) END,
      'quarantined', f.quarantined, 'dropped', f.dropped_reason, 'error', f.error,
      'sqlState', f.sql_state, 'heldPence', NULL)
    """

  private static let pageMax: Int64 = 1000

  private func list(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let limit = call.integer("limit") ?? Self.pageMax
    guard (1...Self.pageMax).contains(limit) else {
      throw CommandError(.usage, rule: "limit", "limit must be between 1 and \(Self.pageMax)")
    }
    // Both come from the last row of a page: it may have succeeded since.
    let after = call.integer("after")
    let isAmongOthers = after != nil && !call.flag("quarantined")
    let page = Self.page(
      quarantinedAfter: isAmongOthers ? .max : after ?? 0, othersAfter: isAmongOthers ? after ?? 0 : 0, limit: limit)
    let items = try await priced(try await transaction.query(page).one(JSON.self), transaction)
    guard after == nil else { return items }
    return try await transaction.query("SELECT \(items) || (\(fragment: Self.schedules))").one(JSON.self)
  }

  /// The schedules with a problem, as failures without a number: the next tick is their next attempt. A schedule that
  /// cannot be planned is a separate item.
  static let schedules: Statement = """
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', \(scheduleId), 'job', \(ScheduleRunner.name), 'key', f.name,
      'attempts', f.attempts, 'firstAt', settled.iso(f.since), 'lastAt', settled.iso(f.last_at),
      'nextAttemptAt', settled.iso(f.next_at), 'quarantined', false, 'dropped', NULL, 'error', f.problem,
      'sqlState', NULL, 'heldPence', NULL)
      ORDER BY f.name), '[]')
    FROM (
      SELECT s.name, p.since, p.problem, o.attempts, coalesce(o.last_at, p.since) AS last_at,
        CASE WHEN NOT s.paused THEN s.next_tick_at END AS next_at
      FROM settled.problem AS p JOIN settled.schedule AS s ON p.name = 'schedule ' || s.name,
      -- Those since the problem began are as many as its failures, and no more are counted.
      LATERAL (SELECT count(*) AS attempts, max(l.finished_at) AS last_at
        FROM (SELECT o.finished_at FROM settled.occurrence AS o
          WHERE o.schedule = s.name AND o.status = 'failed' AND o.finished_at >= p.since
          ORDER BY o.instant DESC LIMIT 1000) AS l) AS o
      WHERE p.name LIKE 'schedule %' AND NOT EXISTS (
        SELECT FROM settled.failure AS f WHERE f.job = \(SchedulePlanner.name) AND f.key = s.name)
      ORDER BY s.name LIMIT 200) AS f
    """

  /// Failures have higher numbers than schedules.
  private static let scheduleId: Int64 = 0

  /// Each half is read in the order of its part of the index.
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

  /// An array of failures, each with the money that its item holds.
  private func priced(_ failures: JSON, _ transaction: Transaction) async throws -> JSON {
    var failures = failures
    for money in heldMoney {
      let keys = try await transaction.query(FailureMoney.keys(of: money.job, in: failures)).decode(String.self)
      guard !keys.isEmpty else { continue }
      failures = try await transaction.query(FailureMoney.add(money, of: keys, to: failures)).one(JSON.self)
    }
    return failures
  }

  private func priced(one failure: JSON, _ transaction: Transaction) async throws -> JSON {
    let list = try await priced(JSON(text: "[\(failure.text)]"), transaction)
    return try await transaction.query("SELECT \(list)::jsonb -> 0").one(JSON.self)
  }

  private func found(_ call: CommandCall, _ transaction: Transaction) async throws -> (Int64, String, JSON) {
    let id = call.integer("id") ?? 0
    if id == Self.scheduleId {
      throw CommandError(
        .refused, rule: "schedule",
        "a schedule runs again at its next tick; settlectl job run NAME runs a built-in schedule immediately")
    }
    let statement: Statement = """
      SELECT f.id, f.job, \(raw: Self.row) FROM settled.failure AS f WHERE f.id = \(id) FOR NO KEY UPDATE
      """
    guard let row = try await transaction.query(statement).first(Int64.self, String.self, JSON.self) else {
      throw CommandError(.missing, rule: "failure", "there is no failure \(id); the item may have succeeded since")
    }
    return (row.0, row.1, try await priced(one: row.2, transaction))
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
    return CommandChange(target: "\(job) \(id)", before: before, after: try await priced(one: after, transaction))
  }

  private func drop(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (id, job, before) = try await found(call, transaction)
    if moneyJobs.contains(job) {
      throw CommandError(
        .refused, rule: "money",
        "items in the \(job) job hold money: use settlectl retry, race cancel or race settle --override")
    }
    let after = try await transaction.query(
      """
      UPDATE settled.failure AS f SET dropped_at = clock_timestamp(), dropped_reason = \(call.text("reason")),
        quarantined = false
      WHERE f.id = \(id) RETURNING \(raw: Self.row)
      """
    ).one(JSON.self)
    return CommandChange(target: "\(job) \(id)", before: before, after: try await priced(one: after, transaction))
  }
}
