/// Commands about this node: they work while the database is away.
package struct NodeCommands: Sendable {
  let report: StatusReport
  let scheduler: Scheduler

  package init(report: StatusReport, scheduler: Scheduler) {
    self.report = report
    self.scheduler = scheduler
  }

  package var commands: [Command] {
    [
      Command(
        "status", "/v1/status", level: .read, summary: "How this node and its jobs are.",
        effect: .local { _ in CommandChange(reading: await report.status()) }),
      Command(
        "drain", "/v1/drain", post: true, level: .operate, summary: "Claim nothing more on this node.",
        effect: .local { _ in await drain(true) }),
      Command(
        "undrain", "/v1/undrain", post: true, level: .operate, summary: "Claim again.",
        effect: .local { _ in await drain(false) }),
    ]
  }

  private func drain(_ draining: Bool) async -> CommandChange {
    let before = report.monitor.current.isDraining
    if draining { scheduler.drain() } else { scheduler.undrain() }
    report.monitor.setDraining(draining)
    return CommandChange(
      target: report.node, before: JSONValue.object([("draining", .bool(before))]).json,
      after: JSONValue.object([("draining", .bool(draining))]).json, answer: await report.status().json)
  }
}
