import ControlAPI
import Engine
import Postgres

/// The command behind `settlectl watch`: events of all nodes, as they happen.
package struct WatchHandler: Sendable {
  private let watchers: Watchers
  private let report: StatusReport

  package init(_ watchers: Watchers, report: StatusReport) {
    self.watchers = watchers
    self.report = report
  }

  package var command: Command { Command(.watch, .local(watch)) }

  private func watch(_ call: CommandCall) async throws -> CommandChange {
    if let job = call.text("job"), call.text("after") == nil, try await !isKnown(job) {
      throw CommandError(.missing, rule: "job", "there is no job or schedule named \(job)")
    }
    return CommandChange(
      reading: try await watchers.answer(after: call.text("after"), job: call.text("job"), caller: call.caller))
  }

  private func isKnown(_ name: String) async throws -> Bool {
    if report.allWorks.contains(where: { $0.name == name }) { return true }
    return try await report.pool.withConnection { connection in
      try await connection.query(WatchStatements.isSchedule(name)).one(Bool.self)
    }
  }
}
