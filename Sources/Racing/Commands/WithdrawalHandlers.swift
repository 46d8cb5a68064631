import Engine
import TextCoding
import Operations
import ControlAPI
import Postgres

/// How operators end withdrawals that the payment provider does not confirm, and stop all of them.
enum WithdrawalHandlers {
  static var commands: [Command] {
    [
      Command(.withdrawalList, .read(WithdrawalList.run)),
      Command(
        .withdrawalComplete,
        .change { call, transaction in
          try await end(call, "SELECT racing.complete_withdrawal(\(id(call)))", in: transaction)
        }),
      Command(
        .withdrawalFail,
        .change { call, transaction in
          let reason = try call.reason()
          return try await end(call, "SELECT racing.fail_withdrawal(\(id(call)), \(reason))", in: transaction)
        }),
      Command(.withdrawalsStop, .change { try await turn(WithdrawalStop.stop(try $0.reason()), in: $1) }),
      Command(.withdrawalsResume, .change { try await turn(WithdrawalStop.resume, in: $1) }),
    ]
  }

  private static func turn(_ statement: Statement, in transaction: Transaction) async throws -> CommandChange {
    let before = try await transaction.query(WithdrawalStop.standing).one(JSON.self)
    try await transaction.execute(statement)
    let after = try await transaction.query(WithdrawalStop.standing).one(JSON.self)
    // Every node shows it soon.
    try await transaction.execute(Scheduler.wakeUp)
    return CommandChange(target: "withdrawals", before: before, after: after)
  }

  private static func id(_ call: CommandCall) -> Int64 { call.integer("id") ?? 0 }

  private static func end(
    _ call: CommandCall, _ statement: Statement, in transaction: Transaction
  ) async throws -> CommandChange {
    let after = try await transaction.query(statement).one(JSON.self)
    return CommandChange(
      target: "withdrawal \(id(call))", before: JSONValue.object([("status", "pending")]).json, after: after)
  }
}
