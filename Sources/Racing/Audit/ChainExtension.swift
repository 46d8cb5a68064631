package import Engine
package import Postgres

/// Adds journals to the chain five minutes after the first one that is not in it was written: not at each deposit.
package struct ChainExtension: Work {
  package let name = LedgerChain.name
  package let isListed = false
  package let nextDue = """
    SELECT (SELECT j.occurred_at FROM racing.journal AS j WHERE j.id > h.newest_journal ORDER BY j.id LIMIT 1)
      + interval '5 minutes' FROM racing.chain_head AS h
    """
  let pool: Pool

  package init(pool: Pool) {
    self.pool = pool
  }

  package func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    do {
      return RunOutcome(items: try await pool.withConnection { try await LedgerChain.extend($0, until: stopFlag) })
    } catch {
      return RunOutcome(items: 0, interruption: error)
    }
  }

  package func overdue(_ session: Connection) async throws -> Int64 { 0 }

  package func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }

  package func pruneResolvedFailures(_ session: Connection) async throws {}

  package func recoverFromCrash() async {}
}
