package import Engine
package import Postgres
import Cron

/// Turns due ticks into rows of the ledger: rows and the cursor's advance commit together.
package struct SchedulePlanner: Work {
  package static let name = "schedule-planning"

  package var name: String { Self.name }
  package let isListed = false
  package let successors = [ScheduleRunner.name, ScheduleRunner.builtInName]
  package let nextDue = """
    SELECT s.next_tick_at FROM settled.schedule AS s
    WHERE NOT s.paused AND s.next_tick_at IS NOT NULL AND \(Self.isFree) ORDER BY s.next_tick_at LIMIT 1
    """
  /// A schedule `s` that no failure of its own holds back.
  private static let isFree = BackoffFilter.excluded(job: name, key: "s.name")
  let context: JobContext
  private let batchMax = 64

  package init(in context: JobContext) {
    self.context = context
  }

  package func pruneResolvedFailures(_ session: Connection) async throws {
    try await session.execute(
      FailureStatements.pruneResolvedFailures(
        job: name, schedule: "SELECT next_tick_at AS at, name AS key1 FROM settled.schedule WHERE NOT paused",
        key: String.self))
  }

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    while !stopFlag.isRequested {
      do {
        let planned = try await context.pool.transaction { try await batch($0) }
        outcome.add(planned)
        if planned.items < batchMax { break }
      } catch {
        guard ItemFate(of: error) != .stops else {
          outcome.interruption = error
          break
        }
        let apart = await oneByOne(until: stopFlag)
        outcome.add(apart)
        outcome.interruption = apart.interruption
        break
      }
    }
    return outcome
  }

  /// Each of the longest due schedules alone: one that cannot be planned does not hold up the others.
  ///
  /// A time-out, a missing right or a missing function counts for a schedule where another one can be planned.
  private func oneByOne(until stopFlag: StopFlag) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    var failed: [(name: String, error: any Error)] = []
    var interruption: (any Error)?
    do {
      for name in try await context.pool.withConnection({ try await $0.query(due).decode(String.self) })
      where !stopFlag.isRequested {
        do {
          outcome.add(try await context.pool.transaction { try await batch($0, only: name) })
        } catch {
          guard ItemFate(of: error) != .stops else { throw error }
          failed.append((name, error))
        }
      }
      let othersSucceed = outcome.items > 0
      for (name, error) in failed {
        switch ItemFate(of: error) {
        case .counts: try await record(error, of: name)
        case .doubtful where othersSucceed: try await record(error, of: name)
        case .waits, .doubtful, .spared, .stops: interruption = interruption ?? error
        }
      }
    } catch {
      interruption = error
    }
    outcome.interruption = interruption
    return outcome
  }

  /// Records that a schedule cannot be planned: it is tried again after growing pauses, five times in all.
  private func record(_ error: any Error, of schedule: String) async throws {
    let text = FailureText(error)
    let (attempts, quarantined) = try await context.pool.transaction { [name, context] transaction in
      try await transaction.execute(
        OccurrenceStatements.reportProblem(schedule, "\(schedule) cannot be planned: \(text.text)"))
      return try await transaction.query(
        FailureStatements.record(job: name, keys: [schedule], error: text, counted: false, policy: context.retries)
      ).one(Int64.self, Bool.self)
    }
    context.observe(
      .itemFailed(job: name, key: schedule, attempts: Int(attempts), quarantined: quarantined, error: text))
  }

  private static let dueNow = """
    NOT s.paused AND s.next_tick_at <= (SELECT settled.clock()) AND \(isFree) ORDER BY s.next_tick_at
    """

  private var due: Statement {
    "SELECT s.name FROM settled.schedule AS s WHERE \(raw: Self.dueNow) LIMIT \(batchMax)"
  }

  /// One step for each of the longest due schedules, or for one of them.
  private func batch(_ transaction: Transaction, only name: String? = nil) async throws -> RunOutcome {
    let one: Statement = name.map { "s.name = \($0) AND" } ?? ""
    let replies = try await transaction.pipeline([
      PlanStep.lock(
        "\(fragment: one) \(raw: Self.dueNow) LIMIT \(batchMax) FOR NO KEY UPDATE SKIP LOCKED"),
      ClaimGate.entry(self.name),
      OccurrenceStatements.withoutFlush,
    ])
    guard let now = try context.gate.admit(replies[1]) else { return RunOutcome(items: 0) }
    let due = try replies[0].decodeAll(as: PlanStep.Cursor.init)
    guard !due.isEmpty else { return RunOutcome(items: 0) }
    let plan = try await PlanStep.plan(due, now: now, transaction)
    for write in plan.writes { transaction.beforeCommit(write) }
    transaction.beforeCommit(FailureStatements.clear(job: Self.name, keys: due.map(\.schedule.name)))
    let ready = plan.toRun.map { $0.call == nil ? ScheduleRunner.builtInName : ScheduleRunner.name }
    return RunOutcome(items: due.count, ready: Set(ready))
  }

  package func overdue(_ session: Connection) async throws -> Int64 {
    try await session.query(
      "SELECT count(*) FROM settled.schedule WHERE NOT paused AND next_tick_at <= settled.clock()"
    ).one(Int64.self)
  }

  package func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] {
    try await session.query(
      """
      SELECT next_tick_at, name FROM settled.schedule WHERE NOT paused AND next_tick_at IS NOT NULL
      ORDER BY next_tick_at, name LIMIT \(limit)
      """
    ).decode(Timestamp.self, String.self).map { Upcoming(at: $0, key: nil, count: 1, schedule: $1) }
  }

  package func recoverFromCrash() async {}
}
