import Engine
import Postgres

/// The audit of commands, and answers kept for repeated requests.
enum AuditStatements {
  /// The first answer to this request; nil when it is new. Throws `CommandError` when its id was used for another.
  static func answered(_ command: Command, _ call: CommandCall, in transaction: Transaction) async throws -> String? {
    guard let id = call.requestId else { return nil }
    let kept = try await transaction.query(
      """
      SELECT request = \(raw: hashed) OR request = d.text, answer
      FROM settled.request, (VALUES (\(request(command, call)))) AS d (text)
      WHERE uid = \(Int64(call.caller.uid)) AND request_id = \(id)
      """
    ).first(Bool.self, JSON.self)
    guard let (isSame, answer) = kept else { return nil }
    guard isSame else {
      throw CommandError(.refused, rule: "request-id", "this request id was used for another request")
    }
    return answer.text
  }

  /// The same, but also inserts the row of a new id, without an answer until `write`.
  ///
  /// By the row's key two simultaneous repeats wait for each other, at most for the session's `lock_timeout`.
  static func reserve(_ command: Command, _ call: CommandCall, in transaction: Transaction) async throws -> String? {
    guard let id = call.requestId else { return nil }
    do {
      let isNew = try await transaction.execute(
        """
        INSERT INTO settled.request (uid, request_id, request, answer)
        SELECT \(Int64(call.caller.uid)), \(id), \(raw: hashed), 'null' FROM (VALUES (\(request(command, call)))) AS d (text)
        ON CONFLICT DO NOTHING
        """)
      return isNew == 1 ? nil : try await answered(command, call, in: transaction)
    } catch let error as PostgresError where error.verdict == .contention && !error.isRepeatable {
      throw CommandError(.unavailable, rule: "request-id", "a request with this id is still in progress")
    }
  }

  /// Records the command and keeps its answer, in the transaction of the effect, or this much later.
  static func write(
    _ command: Command, _ call: CommandCall, _ done: CommandChange, node: String, after age: Duration = .zero,
    in transaction: Transaction
  ) async throws {
    var statements: [Statement] = [
      """
      INSERT INTO settled.audit (at, node, uid, gid, pid, command, target, before, after, reason, request_id)
      VALUES (clock_timestamp() - \(age.microseconds) * interval '1 microsecond', \(node), \(Int64(call.caller.uid)),
        \(Int64(call.caller.gid)), \(Int64(call.caller.pid)), \(command.name), \(done.target),
        \(done.before), \(done.after), \(call.text("reason")), \(call.requestId))
      """
    ]
    if let id = call.requestId {
      statements.append(
        """
        INSERT INTO settled.request (uid, request_id, request, answer)
        SELECT \(Int64(call.caller.uid)), \(id), \(raw: hashed), \(done.kept)
        FROM (VALUES (\(request(command, call)))) AS d (text)
        ON CONFLICT (uid, request_id) DO UPDATE SET answer = excluded.answer
        """)
    }
    _ = try await transaction.pipeline(statements)
  }

  /// SQL of a request's digest: its parameters name people. An earlier release wrote the request itself.
  private static let hashed = "encode(sha256(convert_to(d.text, 'UTF8')), 'hex')"

  private static func request(_ command: Command, _ call: CommandCall) -> String {
    command.name + "\n" + call.canonical
  }
}
