import Engine
import Money
import Operations
import Postgres
import TextCoding

/// Carries out operators' orders: settles or cancels races of any size, one at a time (Racing.docc/Settlement.md).
struct RaceOrderJob: TwoStepJob {
  static let jobName = "race-orders"
  static let orders = DueSource(
    "racing.race_order", key: "race_id", [.init(at: "t.ordered_at", where: "t.finished_at IS NULL")])

  let name = jobName
  let stopsAfterRestore = true
  let largestBatch = 1
  var source: DueSource { Self.orders }

  private let gate: ClaimGate

  init(gate: ClaimGate) {
    self.gate = gate
  }

  func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [RaceOrder] {
    try await transaction.query(RaceOrderStatements.orders(keys)).decodeAll(as: RaceOrder.init)
  }

  func key(of order: RaceOrder) -> Int64 { order.race }

  func apply(_ orders: [RaceOrder], at now: Timestamp, in transaction: Transaction) async throws {
    for order in orders {
      let outcome = try await outcome(of: order, in: transaction)
      try await transaction.execute(RaceOrderStatements.finish(order.race, outcome, at: now))
    }
  }

  /// A refusal undoes what the order had written before it. Deferred constraints fail later, at COMMIT: such an order
  /// stays open and is tried again, as any item of a job.
  private func outcome(of order: RaceOrder, in transaction: Transaction) async throws -> RaceOrderOutcome {
    try await transaction.execute("SAVEPOINT race_order")
    do {
      let answer = try await carryOut(order, in: transaction)
      try await transaction.runWaiting()
      return .done(answer)
    } catch {
      guard let problem = Self.problem(error) else { throw error }
      try await transaction.execute("ROLLBACK TO SAVEPOINT race_order")
      return .refused(rule: problem.rule, problem.description)
    }
  }

  /// The refusal that ends the order; nil where another attempt may succeed.
  private static func problem(_ error: any Error) -> CommandError? {
    switch error {
    case let error as PostgresError where error.verdict == .timeout:
      return CommandError(.refused, rule: "size", "the race is too large for one transaction: \(error)")
    case let error as PostgresError:
      let problem = CommandError.of(error)
      return problem.kind == .unavailable ? nil : problem
    case let error as CommandError: return error.kind == .unavailable ? nil : error
    case is CancellationError, is EngineError: return nil
    default: return CommandError(.bug, rule: "bug", "\(error)")
    }
  }

  private func carryOut(_ order: RaceOrder, in transaction: Transaction) async throws -> JSON {
    switch order.kind {
    case .settle:
      return try await SettleOne(gate: gate).settle(
        order.race, expecting: order.expectedHash, overriding: order.overrides, in: transaction
      ).json
    case .cancel:
      let refunded = try await CancelRace(gate: gate)
        .cancel(order.race, reason: order.reason ?? "", in: transaction)
      return JSONValue.object([
        ("raceId", .integer(order.race)), ("status", .text(RaceStatus.cancelled.rawValue)),
        ("refundedPence", .integer(refunded.amount)),
      ]).json
    }
  }
}
