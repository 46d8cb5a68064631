package import Postgres

/// The JSON of `status` and `jobs` (commands.md), from what the node remembers and, where it answers, the database.
package struct StatusReport: Sendable {
  package let node: String
  package let version: String
  package let schemaVersion: Int32
  /// What operators see as jobs.
  package let works: [any Work]
  /// These and the rest: schedules, event numbering.
  package let allWorks: [any Work]
  /// The daemon's own schedules, which are shown as jobs too.
  package let schedules: ScheduleJobs
  package let monitor: NodeMonitor
  package let pool: Pool
  package let time: Timekeeper

  package init(
    node: String, version: String, schemaVersion: Int32, works: [any Work], schedules: ScheduleJobs = ScheduleJobs([]),
    monitor: NodeMonitor, pool: Pool, time: Timekeeper
  ) {
    self.node = node
    self.version = version
    self.schemaVersion = schemaVersion
    self.works = works.filter(\.isListed)
    allWorks = works
    self.schedules = schedules
    self.monitor = monitor
    self.pool = pool
    self.time = time
  }

  package func status() async -> JSONValue {
    let state = monitor.current
    let status = NodeStatus(state, now: time.now())
    return [
      "state": .string(status.state.rawValue), "version": .string(version),
      "schemaVersion": .number(Int64(schemaVersion)), "simulatedClock": .bool(state.look?.isSimulated ?? false),
      "node": .string(node), "now": .instant(state.look.flatMap { now($0, state) } ?? time.wall()),
      "clockSkewMs": .number(state.look?.skew.milliseconds ?? 0), "jobs": await jobs(),
      "problems": .array(status.problems.map(JSONValue.string)),
    ]
  }

  package func jobs() async -> JSONValue {
    var jobs: [JSONValue] = []
    for work in works { jobs.append(await job(work)) }
    return .array(jobs + (await scheduled(schedules.names)))
  }

  /// Nil where there is no such job.
  package func job(_ name: String) async -> JSONValue? {
    if schedules.names.contains(name) { return await scheduled([name]).first }
    guard let work = works.first(where: { $0.name == name }) else { return nil }
    return await job(work)
  }

  /// From the database, where it is there and answers.
  private func scheduled(_ names: [String]) async -> [JSONValue] {
    guard !names.isEmpty else { return [] }
    if monitor.current.databaseTrouble == nil, monitor.current.isSchemaChecked,
      let jobs = try? await pool.withConnection({ try await schedules.jobs(names, $0) }), jobs.count == names.count
    {
      return jobs
    }
    return names.map { ScheduleJobs.unknown($0) }
  }

  private func job(_ work: any Work) async -> JSONValue {
    let state = monitor.current
    let record = state.jobs[work.name] ?? JobRecord()
    let item = state.look?.items[work.name]
    let isPaused = item?.isPaused ?? false
    return [
      "name": .string(work.name), "state": isPaused ? "paused" : record.isRunning ? "running" : "idle",
      "nextDue": .instant(item?.dueAt), "overdue": .number(await overdue(work, item)),
      "lastRunAt": .instant(record.lastRunAt), "lastOutcome": .optional(record.lastOutcome),
      "failing": .number(Int64(item?.failing ?? 0)), "quarantined": .number(Int64(item?.quarantined ?? 0)),
    ]
  }

  /// How many items are due now, counted up to a limit; from memory alone where the database does not answer.
  private func overdue(_ work: any Work, _ item: Look.Item?) async -> Int64 {
    guard let item, item.lateBy > .zero else { return 0 }
    return (try? await pool.withConnection { try await work.overdue($0) }) ?? 1
  }

  /// Business time: simulated clocks stand, real ones have moved since the look.
  private func now(_ look: Look, _ state: NodeMonitor.State) -> Timestamp? {
    guard !look.isSimulated, let lookedAt = state.lookedAt else { return look.now }
    return look.now.advanced(by: time.now() - lookedAt)
  }
}
