import ControlAPI
package import Engine
package import Postgres
import TextCoding

/// An operator's answer for a database that lost commits, or that is in another place (Engine.docc/Copies.md).
///
/// `restore accept` resumes it. `restore fork` makes it a copy that discards data that only the original may use.
package struct RestoreHandler: Sendable {
  let marks: [HistoryMark]
  let forks: [Statement]

  /// - Parameter forks: each returns a JSON object of counts.
  package init(marks: [HistoryMark], forks: [Statement]) {
    self.marks = marks
    self.forks = forks
  }

  package var commands: [Command] {
    [Command(.restoreAccept, .change(accept)), Command(.restoreFork, .change(fork))]
  }

  private func accept(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let before = try await transaction.query(RestoreStatements.standing).one(JSON.self)
    let isElsewhere = try await transaction.query(RestoreStatements.isElsewhere).one(Bool.self)
    let isSilent = try await transaction.execute(ProblemStatements.solve(RestoreStatements.silenceProblem)) > 0
    let hasFindings = try await transaction.execute(RestoreStatements.accept) > 0
    guard hasFindings || isElsewhere || isSilent else {
      throw CommandError(.refused, rule: "restore", "no node has detected that the database was restored")
    }
    try await transaction.execute(RestoreStatements.setHome)
    try await answered(transaction)
    var members: [(String, JSONValue)] = [
      ("timeline", .integer(try await transaction.query(RestoreStatements.timeline).one(Int64.self)))
    ]
    for mark in marks {
      members.append((mark.name, .text(try await transaction.query(mark.newest).one(String.self))))
    }
    return CommandChange(target: "database", before: before, after: JSONValue.object(members).json)
  }

  private func fork(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    guard try await transaction.query(RestoreStatements.isElsewhere).one(Bool.self) else {
      throw CommandError(
        .refused, rule: "restore",
        "this database has not moved since daemons first connected to it: to make it a copy, run "
          + "settled migrate --fork while no daemon is running")
    }
    let before = try await transaction.query(RestoreStatements.standing).one(JSON.self)
    var forgotten: [(String, JSONValue)] = []
    for statement in forks {
      let counts = try JSONValue(try await transaction.query(statement).one(JSON.self).text)
      forgotten += counts.members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    try await transaction.execute(RestoreStatements.setHome)
    try await transaction.execute(ProblemStatements.solve(RestoreStatements.silenceProblem))
    try await answered(transaction)
    let installation = try await transaction.query(RestoreStatements.installation).one(String.self)
    let answer = JSONValue.object([("installation", .text(installation)), ("forgotten", .object(forgotten))])
    return CommandChange(target: "database", before: before, after: answer.json)
  }

  private func answered(_ transaction: Transaction) async throws {
    try await transaction.execute(ProblemStatements.solve(RestoreStatements.problem))
    try await transaction.execute(Scheduler.wakeUp)
  }
}
