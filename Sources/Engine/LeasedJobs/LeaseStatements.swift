import Postgres

/// The statements on `settled.lease`.
enum LeaseStatements {
  /// The most leases of a job that are watched at a time.
  private static let watchedMax: Int64 = 10_000

  /// Leases items that no other node has leased and no failure delays: rows of key and generation.
  static func take(job: String, keys: [String], owner: String) -> Statement {
    """
    INSERT INTO settled.lease (job, key, owner, taken_at)
    SELECT \(job), k.key, \(owner), clock_timestamp() FROM unnest(\(keys)) AS k(key)
    WHERE \(raw: BackoffFilter.excluded(job: job, key: "k.key")) ORDER BY k.key
    ON CONFLICT ON CONSTRAINT lease_pkey DO NOTHING RETURNING key, generation
    """
  }

  /// One row, locked, if the lease still exists.
  static func lock(job: String, generation: Int64, key: String) -> Statement {
    """
    SELECT FROM settled.lease AS l WHERE l.job = \(job) AND l.key = \(key) AND l.generation = \(generation) FOR UPDATE
    """
  }

  static func giveBack(job: String, generations: [Int64]) -> Statement {
    "DELETE FROM settled.lease WHERE job = \(job) AND generation = ANY(\(generations))"
  }

  /// Revokes lost leases; returns their keys. Leases that are just being returned are skipped.
  static func takeAway(job: String, generations: [Int64]) -> Statement {
    """
    DELETE FROM settled.lease AS l WHERE l.job = \(job) AND l.key IN (
      SELECT s.key FROM settled.lease AS s WHERE s.job = \(job) AND s.generation = ANY(\(generations))
      FOR UPDATE SKIP LOCKED)
    RETURNING l.key
    """
  }

  /// Generations and owners.
  static func standing(job: String) -> Statement {
    "SELECT generation, owner FROM settled.lease WHERE job = \(job) LIMIT \(watchedMax)"
  }

  /// SQL of one value: when a lease should have been returned, so that it must be watched; null: none.
  ///
  /// A hint only, because the server's clock may be wrong: a lease that was taken in its future is watched immediately.
  static func nextOverdue(job: String, after span: Duration) -> String {
    """
    SELECT settled.clock() + greatest(interval '0', CASE WHEN l.taken_at <= clock_timestamp()
        THEN l.taken_at + interval '\(span.milliseconds) milliseconds' - clock_timestamp() END)
    FROM settled.lease AS l WHERE l.job = '\(job)' ORDER BY l.taken_at LIMIT 1
    """
  }
}
