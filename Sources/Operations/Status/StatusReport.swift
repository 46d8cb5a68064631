package import Engine
package import TextCoding
package import Postgres

/// The JSON of `status` and `jobs`, as ControlAPI describes it, from what the node remembers and, where it answers, the
/// database.
package struct StatusReport: Sendable {
  package let node: String
  package let version: String
  package let schemaVersion: Int32
  /// The works that operators see as jobs.
  package let works: [any Work]
  /// These and the rest: schedules, event numbering.
  package let allWorks: [any Work]
  /// The daemon's own schedules, which are shown as jobs too.
  package let schedules: ScheduleJobs
  package let monitor: NodeMonitor
  package let pool: Pool
  package let time: Timekeeper
  /// The modules' kinds of problems that the database keeps, by the names under which it keeps them.
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
    let answer = await ask(works, schedules.names, status.details)
    return [
      "state": .text(status.state.rawValue), "version": .text(version),
      "schemaVersion": .integer(Int64(schemaVersion)), "simulatedClock": .boolean(state.snapshot?.isSimulated ?? false),
      "node": .text(node), "now": .instant(state.snapshot.flatMap { now($0, state) } ?? time.wall()),
      "clockSkewMs": .integer(state.snapshot?.skew.milliseconds ?? 0), "jobs": jobs(answer),
      "problems": .array(status.problems.map(JSONValue.text)), "findings": findings(status.details, answer),
      "notes": .array(status.notes.map(JSONValue.text)),
    ]
  }

  package func jobs() async -> JSONValue { jobs(await ask(works, schedules.names)) }

  private func jobs(_ answer: Answer) -> JSONValue {
    .array(works.map { job($0, answer) } + scheduled(schedules.names, answer))
  }

  private func findings(_ problems: [NodeProblem], _ answer: Answer) -> JSONValue {
    .array(
      problems.enumerated().map { place, problem in
        let (kind, target) = problem.kind(problemKinds)
        return [
          "code": .text(kind.code), "text": .text(problem.text), "since": .instant(problem.since),
          "remedy": .text(kind.remedy(target)), "target": .optional(target),
          "heldPence": answer.held[place].map { .integer($0) } ?? .null,
        ]
      })
  }

  /// Nil where there is no such job.
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
    /// The pence that the problems hold, by their place.
    var held: [Int: Int64] = [:]
  }

  /// How long a report waits for the database; then it tells what the node remembers.
  private static let answerAtMost: Duration = .seconds(2)

  /// Empty where the database does not answer in time.
  private func ask(_ works: [any Work], _ names: [String], _ problems: [NodeProblem] = []) async -> Answer {
    let state = monitor.current
    guard state.databaseError == nil, state.isSchemaChecked else { return Answer() }
    // While a job may not claim, nothing makes the node poll again when more falls due.
    let due = works.filter { work in
      guard let snapshot = state.snapshot, let item = snapshot.items[work.name] else { return false }
      return item.isDue || item.isPaused || item.awaitsAcceptance || snapshot.isClockStopped
    }
    let counted = works.filter { $0.progress != nil }
    guard !due.isEmpty || !names.isEmpty || !counted.isEmpty || !problems.isEmpty else { return Answer() }
    let answer = try? await pool.answer(within: Self.answerAtMost) { [schedules, heldMoney, problemKinds] connection in
      var answer = Answer()
      if !names.isEmpty { answer.scheduled = try await schedules.jobs(names, connection) }
      // One job that fails to answer does not hide the others.
      for work in due { answer.overdue[work.name] = try? await work.overdue(connection) }
      for work in counted { answer.progress[work.name] = try? await Self.progress(of: work, connection) }
      for (place, problem) in problems.enumerated() {
        let (kind, target) = problem.kind(problemKinds)
        answer.held[place] = try? await heldMoney.pence(kind, target: target, connection)
      }
      return answer
    }
    return answer ?? Answer()
  }

  /// Null where there is nothing to do.
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

  /// Business time: simulated clocks stand, real ones have moved since the poll.
  private func now(_ snapshot: NodeSnapshot, _ state: NodeMonitor.State) -> Timestamp? {
    guard !snapshot.isSimulated, let polledAt = state.polledAt else { return snapshot.now }
    return snapshot.now.advanced(by: time.now() - polledAt)
  }
}
