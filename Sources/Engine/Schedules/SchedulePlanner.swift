package import Postgres
import Schedules

/// Turns due ticks into rows of the ledger: rows and the cursor's advance commit together.
package struct SchedulePlanner: Work {
  package static let name = "schedule-planning"

  package var name: String { Self.name }
  package let isListed = false
  package let followers = [ScheduleRunner.name, ScheduleRunner.ownName]
  package let nextDue = "SELECT min(next_tick_at) FROM settled.schedule WHERE NOT paused"
  let context: JobContext
  private let batchMax = 64

  package init(in context: JobContext) {
    self.context = context
  }

  package func forgetDone(_ session: Connection) async throws {}

  package func drain(until halt: Halt, due: Duration) async -> DrainOutcome {
    var outcome = DrainOutcome(items: 0)
    while !halt.isRequested {
      do {
        let planned = try await context.pool.transaction { try await batch($0) }
        outcome.items += planned
        if planned < batchMax { break }
      } catch {
        outcome.interruption = error
        break
      }
    }
    return outcome
  }

  /// One step for each of the longest due schedules; yields how many.
  private func batch(_ transaction: Transaction) async throws -> Int {
    let replies = try await transaction.pipeline([
      PlanStep.lock(
        """
        NOT s.paused AND s.next_tick_at <= (SELECT settled.clock()) ORDER BY s.next_tick_at LIMIT \(batchMax)
        FOR NO KEY UPDATE SKIP LOCKED
        """), Gate.entry(name), OccurrenceStatements.withoutFlush,
    ])
    guard let now = try context.gate.admit(replies[1]) else { return 0 }
    let due = try PlanStep.cursors(replies[0])
    guard !due.isEmpty else { return 0 }
    try await PlanStep.take(due, now: now, transaction)
    return due.count
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

  package func beCareful() async {}
}
