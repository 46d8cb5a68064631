package import Engine
package import TextCoding
package import Postgres

/// The JSON of `status` and `jobs`, as ControlAPI describes it, from the node's memory and, if it is reachable, the
/// database.
package struct StatusReport: Sendable {
  package let node: String
  package let version: String
  package let schemaVersion: Int32
  /// The works that operators see as jobs.
  package let works: [any Work]
  /// These and the rest: schedules, event numbering.
  package let allWorks: [any Work]
  /// The daemon's own schedules, which are also shown as jobs.
  package let schedules: ScheduleJobs
  package let monitor: NodeMonitor
  package let pool: Pool
  package let time: Timekeeper
  /// The modules' kinds of problems in the database, by problem name.
  package let problemKinds: [String: ProblemKind]
  package let heldMoney: [HeldMoney]

  package init(
    node: String, version: String, schemaVersion: Int32, works: [any Work], schedules: ScheduleJobs = ScheduleJobs([]),
    monitor: NodeMonitor, pool: Pool, time: Timekeeper, problemKinds: [String: ProblemKind] = [:],
    heldMoney: [HeldMoney] = []
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
    self.problemKinds = problemKinds
    self.heldMoney = heldMoney
  }

  package func status() async -> JSONValue {
    let state = monitor.current
    let status = NodeStatus(state, now: time.now())
    async let held = held(status.details)
    let answer = await ask(works, schedules.names)
    return [
      "state": .text(status.state.rawValue), "version": .text(version),
      "schemaVersion": .integer(Int64(schemaVersion)), "simulatedClock": .boolean(state.snapshot?.isSimulated ?? false),
      "node": .text(node), "now": .instant(state.snapshot.flatMap { now($0, state) } ?? time.wall()),
      "clockSkewMs": .integer(state.snapshot?.skew.milliseconds ?? 0), "jobs": jobs(answer),
      "problems": .array(status.problems.map(JSONValue.text)), "findings": findings(status.details, await held),
      "notes": .array(status.notes.map(JSONValue.text)),
    ]
  }

  package func jobs() async -> JSONValue { jobs(await ask(works, schedules.names)) }

  private func jobs(_ answer: Answer) -> JSONValue {
    .array(works.map { job($0, answer) } + scheduled(schedules.names, answer))
  }

  private func findings(_ problems: [NodeProblem], _ held: [Int: Int64]) -> JSONValue {
    .array(
      problems.enumerated().map { place, problem in
        let (kind, target) = problem.kind(problemKinds)
        return [
          "code": .text(kind.code), "text": .text(problem.text), "since": .instant(problem.since),
          "remedy": .text(kind.remedy(target)), "target": .optional(target),
          "heldPence": held[place].map { .integer($0) } ?? .null,
        ]
      })
  }

  /// Nil if there is no such job.
  package func job(_ name: String) async -> JSONValue? {
    if schedules.names.contains(name) { return scheduled([name], await ask([], [name])).first }
    guard let work = works.first(where: { $0.name == name }) else { return nil }
    return job(work, await ask([work], []))
  }

  /// The database's counts: by job, how many items are due; and the built-in schedules.
  private struct Answer: Sendable {
    var overdue: [String: Int64] = [:]
    var progress: [String: JSONValue] = [:]
    var scheduled: [JSONValue] = []
  }

  /// How long a report waits for the database; then it uses the node's memory.
  private static let answerAtMost: Duration = .seconds(2)

  /// Empty if the database does not answer in time.
  private func ask(_ works: [any Work], _ names: [String]) async -> Answer {
    let state = monitor.current
    guard isAsked(state) else { return Answer() }
    // While a job may not claim, nothing makes the node poll when more items fall due.
    let due = works.filter { work in
      guard let snapshot = state.snapshot, let item = snapshot.items[work.name] else { return false }
      return item.isDue || item.isPaused || item.awaitsAcceptance || snapshot.isClockStopped
    }
    let counted = works.filter { $0.progress != nil }
    guard !due.isEmpty || !names.isEmpty || !counted.isEmpty else { return Answer() }
    let answer = try? await pool.answer(within: Self.answerAtMost) { [schedules] connection in
      var answer = Answer()
      if !names.isEmpty { answer.scheduled = try await schedules.jobs(names, connection) }
      // One job that fails to answer does not hide the others.
      for work in due { answer.overdue[work.name] = try? await work.overdue(connection) }
      for work in counted { answer.progress[work.name] = try? await Self.progress(of: work, connection) }
      return answer
    }
    return answer ?? Answer()
  }

  private func isAsked(_ state: NodeMonitor.State) -> Bool { state.databaseError == nil && state.isSchemaChecked }

  /// The pence that the problems hold, by their place; empty if the database does not compute them in time.
  ///
  /// They are queried separately, so that slow sums hide nothing else, and each within a second, so that they do not
  /// occupy the commands' connections.
  private func held(_ problems: [NodeProblem]) async -> [Int: Int64] {
    guard isAsked(monitor.current), !problems.isEmpty, !heldMoney.isEmpty else { return [:] }
    let held = try? await pool.answer(within: Self.answerAtMost) { [heldMoney, problemKinds, time] connection in
      let end = time.now() + Self.answerAtMost
      return try await connection.transaction { transaction in
        try await transaction.execute("SET LOCAL statement_timeout = '1s'")
        var held: [Int: Int64] = [:]
        for (place, problem) in problems.enumerated() where time.now() < end {
          let (kind, target) = problem.kind(problemKinds)
          held[place] = try await heldMoney.pence(kind, target: target, transaction)
        }
        return held
      }
    }
    return held ?? [:]
  }

  /// Null if there is nothing to do.
  private static func progress(of work: any Work, _ connection: Connection) async throws -> JSONValue {
    guard let statement = work.progress else { return .null }
    let (done, total) = try await connection.query("\(raw: statement)").one(Int64.self, Int64.self)
    return total > 0 ? ["done": .integer(done), "total": .integer(total)] : .null
  }

  private func scheduled(_ names: [String], _ answer: Answer) -> [JSONValue] {
    answer.scheduled.count == names.count ? answer.scheduled : names.map { ScheduleJobs.unknown($0) }
  }

  private func job(_ work: any Work, _ answer: Answer) -> JSONValue {
    let state = monitor.current
    let record = state.jobs[work.name] ?? JobRecord()
    let item = state.snapshot?.items[work.name]
    let isPaused = item?.isPaused ?? false
    return [
      "name": .text(work.name), "state": isPaused ? "paused" : record.isRunning ? "running" : "idle",
      "nextDue": .instant(item?.dueAt),
      "overdue": .integer(answer.overdue[work.name] ?? (item?.isDue ?? false ? 1 : 0)),
      "lastRunAt": .instant(record.lastRunAt), "lastOutcome": .optional(record.lastOutcome),
      "failing": .integer(Int64(item?.failing ?? 0)), "quarantined": .integer(Int64(item?.quarantined ?? 0)),
      "progress": answer.progress[work.name] ?? .null,
    ]
  }

  /// Business time: simulated clocks stand still, real ones have advanced since the poll.
  private func now(_ snapshot: NodeSnapshot, _ state: NodeMonitor.State) -> Timestamp? {
    guard !snapshot.isSimulated, let polledAt = state.polledAt else { return snapshot.now }
    return snapshot.now.advanced(by: time.now() - polledAt)
  }
}
