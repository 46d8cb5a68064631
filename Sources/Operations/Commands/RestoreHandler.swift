import ControlAPI
package import Engine
import Postgres
import TextCoding

/// `restore accept`: the database was restored on purpose, so that what waited for an operator goes on.
package struct RestoreHandler: Sendable {
  let marks: [HistoryMark]

  package init(marks: [HistoryMark]) {
    self.marks = marks
  }

  package var command: Command { Command(.restoreAccept, .change(accept)) }

  private func accept(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let before = try await transaction.query(RestoreStatements.standing).one(JSON.self)
    guard let timeline = try await transaction.query(RestoreStatements.accept).first(Int64.self) else {
      throw CommandError(.refused, rule: "restore", "no node has found that the database was restored")
    }
    try await transaction.execute(ProblemStatements.solve(RestoreStatements.problem))
    try await transaction.execute(Scheduler.wakeUp)
    var members: [(String, JSONValue)] = [("timeline", .integer(timeline))]
    for mark in marks {
      members.append((mark.name, .text(try await transaction.query(mark.newest).one(String.self))))
    }
    return CommandChange(target: "database", before: before, after: JSONValue.object(members).json)
  }
}
