import Engine
import Postgres

/// How operators end withdrawals that the payment provider does not confirm by itself.
enum WithdrawalCommands {
  static var commands: [Command] {
    let id = Command.Parameter("id", .integer, required: true, "The withdrawal's transaction.")
    return [
      Command(
        "withdrawal.complete", "/v1/withdrawals/{id}/complete", post: true, level: .admin,
        summary: "The money has been paid out.", parameters: [id],
        effect: .change { call, transaction in
          try await end(call, "SELECT racing.complete_withdrawal(\(Self.id(call)))", in: transaction)
        }),
      Command(
        "withdrawal.fail", "/v1/withdrawals/{id}/fail", post: true, level: .admin,
        summary: "The money was not paid out: it goes back to the wallet.",
        parameters: [id, Command.Parameter("reason", .text, required: true, "Why.")],
        effect: .change { call, transaction in
          let reason = try call.reason()
          return try await end(call, "SELECT racing.fail_withdrawal(\(Self.id(call)), \(reason))", in: transaction)
        }),
    ]
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
