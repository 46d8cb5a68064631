package import Engine
import ControlAPI
import TextCoding

/// Commands about this node: they work while the database is unreachable.
package struct NodeHandlers: Sendable {
  let report: StatusReport
  let scheduler: Scheduler
  let users: UserLookup

  package init(report: StatusReport, scheduler: Scheduler, users: @escaping UserLookup) {
    self.report = report
    self.scheduler = scheduler
    self.users = users
  }

  package var commands: [Command] {
    [
      Command(.status, .local { _ in CommandChange(reading: await report.status()) }),
      Command(.caller, .local { CommandChange(reading: await caller($0.caller)) }),
      Command(.drain, .local { _ in await drain(true) }),
      Command(.undrain, .local { _ in await drain(false) }),
    ]
  }

  private func caller(_ peer: AuthorizedPeer) async -> JSONValue {
    [
      "uid": .integer(Int64(peer.uid)), "user": .optional(await users([peer.uid])[peer.uid]),
      "level": .text(peer.level.rawValue),
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
