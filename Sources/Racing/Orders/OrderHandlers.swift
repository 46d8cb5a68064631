import ControlAPI
import Engine
import Operations
import Postgres
import TextCoding

/// The commands that settle and cancel races: each leaves an order, and waits for the job that carries it out.
struct OrderHandlers: Sendable {
  private static let longestPause: Duration = .milliseconds(500)

  private let gate: ClaimGate
  private let waitMax: Duration

  /// `waitMax` is how long a command waits for its outcome: by default longer than a race of 10,000 entries takes.
  init(gate: ClaimGate, waitMax: Duration = .seconds(10)) {
    self.gate = gate
    self.waitMax = waitMax
  }

  var commands: [Command] {
    [
      Command(.raceSettle, .order(settle, outcome: outcome)),
      Command(.raceCancel, .order(cancel, outcome: outcome)),
    ]
  }

  private func race(_ call: CommandCall) -> Int64 { call.integer("id") ?? 0 }

  private func settle(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let isOverride = call.flag("override")
    if isOverride, call.caller.level < .admin {
      throw CommandError(.denied, rule: "level", "an override requires the admin level")
    }
    if isOverride, call.text("reason")?.isEmpty ?? true {
      throw CommandError(.usage, rule: "reason", "an override requires a reason")
    }
    let status = try SettleOne.check(try await status(of: call, transaction), of: race(call))
    return try await add(
      .settling(
        race(call), expecting: call.text("expectHash"), overriding: isOverride, reason: call.text("reason")),
      status, transaction)
  }

  private func cancel(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let reason = try call.reason()
    let status = try CancelRace.check(try await status(of: call, transaction), of: race(call))
    return try await add(.cancelling(race(call), reason: reason), status, transaction)
  }

  private func status(of call: CommandCall, _ transaction: Transaction) async throws -> String? {
    try await transaction.query(SettleOneStatements.status(of: race(call))).first(String.self)
  }

  /// Throws `CommandError` with the rule `clock`, `restore`, or `ordered` where a job works on the race.
  private func add(
    _ order: RaceOrder, _ status: String, _ transaction: Transaction
  ) async throws -> CommandChange {
    let now = try await gate.again(transaction)
    if try await gate.isClockStopped(transaction) {
      throw CommandError(.refused, rule: "clock", "a node reports a clock jump: run settlectl clock accept")
    }
    if try await gate.isStoppedAfterRestore(RaceOrderJob.jobName, transaction) {
      throw CommandError(.refused, rule: "restore", "the database was restored: run settlectl restore accept")
    }
    try await transaction.execute(RaceOrderStatements.replace(by: order, at: now))
    try await transaction.execute(RaceOrderStatements.clearFailure(order.race))
    guard let id = try await transaction.query(RaceOrderStatements.add(order, at: now)).first(Int64.self) else {
      throw CommandError(
        .refused, rule: "ordered", "another order for race \(order.race) is open: see settlectl race show")
    }
    let after: JSONValue = [
      "raceId": .integer(order.race), "order": .integer(id), "ordered": .text(order.kind.rawValue),
    ]
    return CommandChange(
      target: "race \(order.race)", before: JSONValue.object([("status", .text(status))]).json,
      after: after.json)
  }

  /// The answer of the job that carried out the order.
  ///
  /// Throws `CommandError`: the job's refusal, and `pending` where it takes longer. If something fails, the order
  /// stands: every other error is one of these.
  private func outcome(of ordered: JSON, _ pool: Pool) async throws -> JSON {
    // A release without orders kept the answer.
    guard let order = try JSONValue(ordered.text)["order"]?.integer else { return ordered }
    let start = ContinuousClock.now
    var pause: Duration = .milliseconds(10)
    var last = ""
    while start.duration(to: .now) < waitMax, (try? await Task.sleep(for: pause)) != nil {
      pause = min(pause * 2, Self.longestPause)
      switch try? await state(of: order, pool) {
      case .finished(.done(let answer)): return answer
      case .finished(.refused(let rule, let refusal)):
        throw CommandError(rule == "bug" ? .bug : .refused, rule: rule, refusal)
      case .open(let failure?): last = "; its last attempt failed: \(failure)"
      case .open(nil), nil: break
      }
    }
    throw CommandError(
      .unavailable, rule: "pending",
      "order \(order) is open; the \(RaceOrderJob.jobName) job has not finished it yet\(last)")
  }

  private func state(of order: Int64, _ pool: Pool) async throws -> RaceOrderState {
    try await pool.withConnection { connection throws(PostgresError) in
      try await connection.query(RaceOrderStatements.state(of: order))
    }.decodeOne(as: RaceOrderState.init)
  }
}
