package import Postgres

/// Assigns positions to committed events, in a separate transaction.
///
/// Positions are given after the commit, under one lock, by whichever node comes first: a reader that stores the last
/// position misses nothing, however long a writer's transaction was open (Engine.docc/Events.md). Waiting events are
/// numbered immediately, regardless of their instant and of the clocks: readers must learn of a clock stop.
package struct EventNumbering: Work {
  package let name = "event-numbering"
  package let nextDue = "SELECT occurred_at FROM settled.event_pending ORDER BY id LIMIT 1"
  package let isListed = false
  package let isUnconditional = true
  let pool: Pool
  private let eventsMax = 1000

  package init(pool: Pool) {
    self.pool = pool
  }

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    while !stopFlag.isRequested {
      do {
        let numbered = try await pool.withConnection { connection in
          try await connection.query("SELECT settled.number_events(\(eventsMax)::integer)").one(Int32.self)
        }
        outcome.items += Int(numbered)
        if numbered < eventsMax { break }
      } catch {
        outcome.interruption = error
        break
      }
    }
    return outcome
  }

  package func overdue(_ session: Connection) async throws -> Int64 {
    try await session.query("SELECT count(*) FROM (SELECT FROM settled.event_pending LIMIT 1000) AS p").one(Int64.self)
  }

  package func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }

  package func pruneResolvedFailures(_ session: Connection) async throws {}

  package func recoverFromCrash() async {}
}
