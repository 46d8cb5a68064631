package import Engine
package import Postgres
import Cron

/// Turns due ticks into rows of the ledger: rows and the cursor's advance commit together.
package actor SchedulePlanner: Work {
  package static let name = "schedule-planning"

  package nonisolated var name: String { Self.name }
  package nonisolated var isListed: Bool { false }
  package nonisolated var lead: Duration { context.lead }
  package nonisolated var successors: [String] { [ScheduleRunner.name, ScheduleRunner.builtInName] }
  package nonisolated var nextDue: String {
    """
    SELECT s.next_tick_at FROM settled.schedule AS s
    WHERE NOT s.paused AND s.next_tick_at IS NOT NULL AND \(Self.isFree) ORDER BY s.next_tick_at LIMIT 1
    """
  }
  /// A schedule `s` that is not delayed by its own failure.
  private static let isFree = BackoffFilter.excluded(job: name, key: "s.name")
  private let context: JobContext
  /// A schedule that cannot be planned does not delay the others.
  private var batches: Batches<String>
  /// The last announced instant, if the business clock is the server's.
  private var announced: ServerInstant?

  package init(in context: JobContext) {
    self.context = context
    var rules = Batches<String>.Rules(largest: 64)
    (rules.endsShort, rules.waitsForLocked) = (true, false)
    batches = Batches(Self.name, rules)
  }

  package nonisolated func pruneResolvedFailures(_ session: Connection) async throws {
    try await session.execute(
      FailureStatements.pruneResolvedFailures(
        job: Self.name, schedule: "SELECT next_tick_at AS at, name AS key1 FROM settled.schedule WHERE NOT paused",
        key: String.self))
  }

  package func announce(_ coming: ComingWork) async {
    if coming.work == name { announced = ServerInstant(coming) }
  }

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var ready: Set<String> = []
    var notBefore = due > context.time.now() ? announced?.at(due) : nil
    batches.begin()
    while true {
      let step = batches.next(now: context.time.now(), isStopped: stopFlag.isRequested)
      let claimed = Claimed<String>()
      do {
        switch step {
        case .batch(let limit, _):
          defer { notBefore = nil }
          let free: Statement = "s.name <> ALL (\(batches.leftOut))"
          ready.formUnion(try await plan(free, limit: limit, notBefore: notBefore, claimed))
        case .alone(let name): ready.formUnion(try await plan("s.name = \(name)", limit: 1, claimed))
        case .record(let name, let error, _):
          try await record(error, of: name)
          batches.recorded(now: context.time.now())
        case .end(var outcome):
          outcome.ready = ready
          return outcome
        case .findSuspects, .findLeft: preconditionFailure("the planner does not search for suspects")
        }
      } catch {
        batches.failed(error, claimed: claimed.keys, now: context.time.now())
      }
      for news in batches.takeNews() { context.observe(news) }
    }
  }

  /// Records that a schedule cannot be planned: it is retried after growing pauses, five times in all.
  private func record(_ error: any Error, of schedule: String) async throws {
    let text = FailureText(error)
    let (attempts, quarantined) = try await context.pool.transaction { [context] transaction in
      try await transaction.execute(
        OccurrenceStatements.reportProblem(schedule, "\(schedule) cannot be planned: \(text.text)"))
      return try await transaction.query(
        FailureStatements.record(job: Self.name, keys: [schedule], error: text, counted: false, policy: context.retries)
      ).one(Int64.self, Bool.self)
    }
    context.observe(
      .itemFailed(job: name, key: schedule, attempts: Int(attempts), quarantined: quarantined, error: text))
  }

  /// One step for each of the longest due schedules that meet a condition; returns the successors that become ready.
  private func plan(
    _ condition: Statement, limit: Int, notBefore: ServerInstant? = nil, _ claimed: Claimed<String>
  ) async throws -> Set<String> {
    let (planned, ready) = try await context.pool.transaction { [context] transaction -> ([String], Set<String>) in
      let replies = try await transaction.pipeline([
        "SELECT settled.wait_until(\(notBefore?.server))",
        PlanStep.lock(
          """
          NOT s.paused AND s.next_tick_at <= (SELECT settled.clock()) AND \(raw: Self.isFree)
            AND \(fragment: condition) ORDER BY s.next_tick_at LIMIT \(limit) FOR NO KEY UPDATE SKIP LOCKED
          """),
        ClaimGate.entry(Self.name), OccurrenceStatements.withoutFlush,
      ])
      guard let now = try context.gate.admit(replies[2]) else { return ([], []) }
      let names = try replies[1].decodeAll { row in try row["name"] as String }
      guard !names.isEmpty else { return ([], []) }
      claimed.note(names, since: context.time.now())
      let plan = try await PlanStep.plan(replies[1].decodeAll(as: PlanStep.Cursor.init), now: now, transaction)
      for write in plan.writes { transaction.beforeCommit(write) }
      transaction.beforeCommit(FailureStatements.clear(job: Self.name, keys: names))
      return (names, Set(plan.toRun.map { $0.call == nil ? ScheduleRunner.builtInName : ScheduleRunner.name }))
    }
    batches.done(planned, now: context.time.now())
    return ready
  }

  package nonisolated func overdue(_ session: Connection) async throws -> Int64 {
    try await session.query(
      "SELECT count(*) FROM settled.schedule WHERE NOT paused AND next_tick_at <= settled.clock()"
    ).one(Int64.self)
  }

  package nonisolated func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] {
    try await session.query(
      """
      SELECT next_tick_at, name FROM settled.schedule WHERE NOT paused AND next_tick_at IS NOT NULL
      ORDER BY next_tick_at, name LIMIT \(limit)
      """
    ).decode(Timestamp.self, String.self).map { Upcoming(at: $0, key: nil, count: 1, schedule: $1) }
  }

  package func recoverFromCrash() async {}
}
