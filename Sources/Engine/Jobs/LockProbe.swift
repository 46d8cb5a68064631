import Postgres

/// Finds the holder of the row that a job waits for, during the wait, and lists the item.
struct LockProbe: Sendable {
  let context: JobContext

  /// The back ends that block the waiting one, queried repeatedly during its wait until there are any. The caller
  /// cancels it when the wait is over.
  func blockers(of waiting: Claimed<some JobKey>) -> Task<[Int32], Never> {
    Task { [context] in
      var found: [Int32] = []
      do {
        while found.isEmpty {
          try await context.time.sleep(context.lockWait / 5)
          guard let backend = waiting.backend else { continue }
          found = try await context.pool.withConnection { connection in
            try await connection.query("SELECT unnest(pg_blocking_pids(\(backend)))").decode(Int32.self)
          }
        }
      } catch {}
      return found
    }
  }

  /// Terminates sessions of this daemon's own role among the holders whose clients no longer read their results: their
  /// nodes hang, and the server applies no time-out while it sends.
  func endHung(_ holders: [Int32]) async {
    let ended: Statement = """
      SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a
      WHERE a.pid = ANY(\(holders)) AND a.usename = current_user AND a.state = 'active' AND a.wait_event = 'ClientWrite'
        AND a.state_change < clock_timestamp() - \(context.hungAfter.microseconds)::bigint * interval '1 microsecond'
      """
    _ = try? await context.pool.withConnection { try await $0.query(ended) }
  }

  /// Lists the item as delayed by the server's lack of resources; no attempt is counted.
  func list(job: String, key: String, delayedBy error: any Error) async {
    do {
      let record = FailureStatements.recordDelay(job: job, key: key, error: FailureText(error))
      _ = try await context.pool.withConnection { try await $0.execute(record) }
      context.observe(.warning(job: job, key: key, text: "the server lacks the resources for this item: \(error)"))
    } catch {
      context.observe(.contention(job: job, error: error))
    }
  }

  /// Lists the item as delayed by a lock; no attempt is counted.
  func list(job: String, key: String, lockedBy holders: [Int32]) async {
    do {
      _ = try await context.pool.withConnection { connection in
        let names = try await connection.query(LockHolders.named("\(holders)")).one(String?.self)
        let text = FailureText(lockHeldBy: names ?? "an unknown session")
        return try await connection.execute(FailureStatements.recordDelay(job: job, key: key, error: text))
      }
      context.observe(.itemDelayed(job: job, key: key, by: holders))
    } catch {
      context.observe(.contention(job: job, error: error))
    }
  }
}
