package import Engine
import ControlAPI
import TextCoding

/// Commands about this node: they work while the database is away.
package struct NodeHandlers: Sendable {
  let report: StatusReport
  let scheduler: Scheduler

  package init(report: StatusReport, scheduler: Scheduler) {
    self.report = report
    self.scheduler = scheduler
  }

  package var commands: [Command] {
    [
      Command(.status, .local { _ in CommandChange(reading: await report.status()) }),
      Command(.drain, .local { _ in await drain(true) }),
      Command(.undrain, .local { _ in await drain(false) }),
    ]
  }

  private func drain(_ draining: Bool) async -> CommandChange {
    let before = report.monitor.current.isDraining
    if draining { scheduler.drain() } else { scheduler.undrain() }
    report.monitor.setDraining(draining)
    return CommandChange(
      target: report.node, before: JSONValue.object([("draining", .boolean(before))]).json,
      after: JSONValue.object([("draining", .boolean(draining))]).json, answer: await report.status().json)
  }
}
