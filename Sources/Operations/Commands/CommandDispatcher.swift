package import Engine
import ControlAPI
package import Postgres

/// Executes commands: reads in a read-only transaction; changes together with their audit row and kept answer.
package struct CommandDispatcher: CommandRunner {
  package let commands: [Command]
  private let pool: Pool
  private let node: String
  private let late: LateAudits?
  private let heavy: HeavyReads?
  private let observe: @Sendable (Observation) -> Void

  /// The text of the journal entry for each change, with `command`, `target`, `uid`, `gid` and `pid`: it outlives the
  /// audit of a restored database.
  package static let doneText = "a command was executed"

  /// `heavy` runs large reads; by default they are not limited. `late` takes the audit rows of commands that run while
  /// the database is unreachable; without it there are none.
  package init(
    _ commands: [Command], pool: Pool, node: String, heavy: HeavyReads? = nil, late: LateAudits? = nil,
    observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) {
    self.commands = commands
    self.pool = pool
    self.node = node
    self.heavy = heavy
    self.late = late
    self.observe = observe
  }

  package func run(_ command: Command, _ call: CommandCall) async throws -> String {
    // A blank reason is useless in the audit.
    if let reason = call.text("reason"), reason.allSatisfy(\.isWhitespace) {
      throw CommandError(.usage, rule: "reason", "the reason is blank")
    }
    do {
      switch command.effect {
      case .read(let read):
        return try await pool(for: command, call)
          .transaction(.repeatableRead, readOnly: true) { try await read(call, $0).text }
      case .preview(let preview):
        return try await pool(for: command, call).transaction(commit: false) { try await preview(call, $0).text }
      case .change(let change):
        return try await changed(command, call, change)
      case .order(let change, let outcome):
        return try await outcome(JSON(text: try await changed(command, call, change)), pool).text
      case .local(let act):
        return try await acted(command, call, act)
      }
    } catch let error as CommandError {
      throw error
    } catch let error as EngineError where error.code == .clock {
      throw CommandError(.refused, rule: "clock", error.description)
    } catch let error as PostgresError where error.code == .poolExhausted && command.isHeavy(call) {
      throw CommandError(.unavailable, rule: "busy", "another large read is running, and only one can run at a time")
    } catch let error as PostgresError {
      throw CommandError.of(error)
    }
  }

  private func pool(for command: Command, _ call: CommandCall) -> Pool {
    command.isHeavy(call) ? heavy?.pool(for: call.caller) ?? pool : pool
  }

  private func changed(
    _ command: Command, _ call: CommandCall,
    _ change: @Sendable (CommandCall, Transaction) async throws -> CommandChange
  ) async throws -> String {
    let (answer, target) = try await pool.transaction(retries: 3) { transaction in
      if let kept = try await AuditStatements.reserve(command, call, in: transaction) { return (kept, String?.none) }
      let done = try await change(call, transaction)
      try await AuditStatements.write(command, call, done, node: node, in: transaction)
      return (done.answer.text, done.target)
    }
    if let target { observe(.recorded(text: Self.doneText, fields: call.fields(command, target: target))) }
    return answer
  }

  /// The effect concerns this process: it happens first, its record follows when the database can store it.
  private func acted(
    _ command: Command, _ call: CommandCall, _ act: @Sendable (CommandCall) async throws -> CommandChange
  ) async throws -> String {
    guard command.description.method == .post else { return try await act(call).answer.text }
    if let kept = try await keptAnswer(command, call) { return kept }
    let done = try await act(call)
    let abandoned = StopFlag()
    do {
      try await pool.answer(within: Self.localAtMost) { connection in
        try await connection.transaction { try await record(command, call, done, until: abandoned, in: $0) }
      }
      observe(.recorded(text: Self.doneText, fields: call.fields(command, target: done.target)))
    } catch let error as PostgresError {
      guard Self.isSilent(error.verdict) else { throw error }
      abandoned.request()
      late?.add(command, call, done) { age in
        try await pool.transaction { try await record(command, call, done, after: age, in: $0) }
      }
    }
    return done.answer.text
  }

  /// Throws if it was abandoned meanwhile: then the row is written later.
  private func record(
    _ command: Command, _ call: CommandCall, _ done: CommandChange, after age: Duration = .zero,
    until abandoned: StopFlag = StopFlag(), in transaction: Transaction
  ) async throws {
    if try await AuditStatements.reserve(command, call, in: transaction) == nil {
      try await AuditStatements.write(command, call, done, node: node, after: age, in: transaction)
    }
    if abandoned.isRequested { throw CancellationError() }
  }

  /// The kept answer to this request, read before the effect; also nil while the database is unreachable.
  private func keptAnswer(_ command: Command, _ call: CommandCall) async throws -> String? {
    guard call.requestId != nil else { return nil }
    do {
      return try await pool.answer(within: Self.localAtMost) { connection in
        try await connection.transaction { try await AuditStatements.answered(command, call, in: $0) }
      }
    } catch let error as PostgresError {
      guard Self.isSilent(error.verdict) else { throw error }
      return nil
    }
  }

  /// How long a command that concerns this process waits for the database, before its effect and after it.
  private static let localAtMost: Duration = .seconds(2)

  /// Whether the database cannot store a record now but can later: such a command does not fail for that.
  static func isSilent(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .contention, .connection, .resource, .timeout: true
    case .item, .installation, .caller: false
    }
  }
}
