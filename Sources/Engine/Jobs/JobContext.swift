package import Postgres

/// The services of its node that a job runner uses.
package struct JobContext: Sendable {
  package let pool: Pool
  package let time: Timekeeper
  package let gate: ClaimGate
  /// Identifies this run of the node in the leases that it takes: no other run of any node may use the same value.
  package let run: String
  package let observe: @Sendable (Observation) -> Void
  package let foreground = Foreground()
  package var retries = RetryPolicy()
  package var batchTarget: Duration = .milliseconds(100)
  /// How many batches of a job with `usesLanes` run at once.
  package var lanes = 2
  /// The longest time that background work yields before its next batch.
  package var backgroundPause: Duration = .seconds(1)
  /// How long a batch, or an item that is tried alone, waits for locked rows. Transactions that need its own locked
  /// rows wait as long.
  package var lockWait: Duration = .milliseconds(250)
  /// How long a session of this daemon's role may be blocked on sending a result while an item waits for it: longer
  /// than any of its statements may take.
  package var hungAfter: Duration = .seconds(45)
  /// A test seam: called with job and key before each decision.
  package var beforeDecision: @Sendable (String, String) throws -> Void = { _, _ in }

  package init(
    pool: Pool, time: Timekeeper, gate: ClaimGate, run: String, observe: @escaping @Sendable (Observation) -> Void
  ) {
    self.pool = pool
    self.time = time
    self.gate = gate
    self.run = run
    self.observe = observe
  }

  static func setting(_ span: Duration) -> String {
    "'\(span.milliseconds)ms'"
  }

  /// Counts an attempt of each item, durably, before the decisions are made: all together, so that a large batch costs
  /// one more commit, not one for each item.
  func countAttempts(job: String, keys: [String]) async throws {
    let text = FailureText(text: "the daemon stopped while it was working on this item")
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        FailureStatements.record(job: job, keys: keys, error: text, counted: false, policy: retries))
    }
  }

  /// Undoes the count if the attempt proves nothing about these items; the count stays while the database is
  /// unreachable.
  func uncountAttempts(job: String, keys: [String]) async {
    _ = try? await pool.withConnection { connection in
      try await connection.execute(FailureStatements.uncount(job: job, keys: keys, policy: retries))
    }
  }
}
