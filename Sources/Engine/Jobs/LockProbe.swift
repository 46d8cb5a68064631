import Postgres

/// Finds out who holds the row that a job waits for, while it waits, and lists the item.
struct LockProbe: Sendable {
  let context: JobContext

  /// The back ends that block `backend`, asked half-way through its wait.
  func blockers(of waiting: Claimed<some JobKey>) -> Task<[Int32], Never> {
    Task { [context] in
      do {
        try await context.time.sleep(context.lockWait / 2)
        guard let backend = waiting.backend else { return [] }
        return try await context.pool.withConnection { connection in
          try await connection.query("SELECT unnest(pg_blocking_pids(\(backend)))").decode(Int32.self)
        }
      } catch {
        return []
      }
    }
  }

  /// Lists the item as delayed; no attempt is counted.
  func list(job: String, key: String, heldBy holders: [Int32]) async {
    let names = holders.map(String.init).joined(separator: ", ")
    let text = "waits for a lock held by back end \(names.isEmpty ? "(unknown)" : names)"
    do {
      _ = try await context.pool.withConnection { connection in
        try await connection.execute(FailureStatements.recordDelay(job: job, key: key, text: text))
      }
      context.observe(.itemDelayed(job: job, key: key, by: holders))
    } catch {
      context.observe(.contention(job: job, error: error))
    }
  }
}
