import Postgres

/// The audit of commands, and answers kept for repeated requests.
enum AuditStatements {
  /// The first answer to this request; nil when it is new. Throws `CommandError` when its id was used for another.
  ///
  /// The lock makes two simultaneous repeats wait for each other.
  static func answered(_ command: Command, _ call: CommandCall, in transaction: Transaction) async throws -> String? {
    guard let id = call.requestId else { return nil }
    let uid = Int64(call.caller.uid)
    try await transaction.execute("SELECT pg_advisory_xact_lock(hashtextextended(\("request \(uid) \(id)"), 0))")
    let kept = try await transaction.query(
      "SELECT request = \(digest(command, call)), answer FROM settled.request WHERE uid = \(uid) AND request_id = \(id)"
    ).first(Bool.self, JSON.self)
    guard let (isSame, answer) = kept else { return nil }
    guard isSame else {
      throw CommandError(.refused, rule: "request-id", "this request id was used for another request")
    }
    return answer.text
  }

  /// Records what was done and keeps the answer, in the transaction of the effect.
  static func write(
    _ command: Command, _ call: CommandCall, _ done: CommandChange, node: String, in transaction: Transaction
  ) async throws {
    var statements: [Statement] = [
      """
      INSERT INTO settled.audit (node, uid, gid, pid, command, target, before, after, reason, request_id)
      VALUES (\(node), \(Int64(call.caller.uid)), \(Int64(call.caller.gid)), \(Int64(call.caller.pid)),
        \(command.name), \(done.target), \(done.before), \(done.after), \(call.text("reason")), \(call.requestId))
      """
    ]
    if let id = call.requestId {
      statements.append(
        """
        INSERT INTO settled.request (uid, request_id, request, answer)
        VALUES (\(Int64(call.caller.uid)), \(id), \(digest(command, call)), \(done.answer))
        """)
    }
    _ = try await transaction.pipeline(statements)
  }

  private static func digest(_ command: Command, _ call: CommandCall) -> String {
    command.name + "\n" + call.canonical
  }
}
