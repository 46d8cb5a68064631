package import Postgres

/// How failing items are tried again.
///
/// Source: Engine.docc/Failures.md, "Attempts and pauses".
package struct RetryPolicy: Sendable {
  package var backoff = Backoff(first: .seconds(1), factor: 4, longest: .seconds(300))
  /// Attempts after which an item is quarantined.
  package var attemptsMax = 5

  private var draw = 0.0

  package init() {}

  /// The same with jitter: up to half of each delay is taken off, in proportion to `draw` in 0..<1.
  func drawn(_ draw: Double) -> RetryPolicy {
    var policy = self
    policy.draw = draw
    return policy
  }

  /// The delays after the first, second, ... attempt, in microseconds; the last one holds for all that follow.
  var delays: [Int64] {
    (1...min(attemptsMax, 20)).map { backoff.delay(afterAttempts: $0, draw: draw).microseconds }
  }
}

/// The statements on `settled.failure`.
package enum FailureStatements {
  /// Counts an attempt of each item; returns for each the attempts so far and whether it is quarantined now.
  ///
  /// `counted` when the attempt was recorded before its decision (after an unclean exit): then only the text changes.
  /// Where an operator has cleared the attempts meanwhile, it is the first one.
  package static func record(job: String, keys: [String], error: FailureText, counted: Bool, policy: RetryPolicy)
    -> Statement
  {
    """
    INSERT INTO settled.failure AS f
      (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, sql_state, error)
    SELECT \(job), k.key, 1, now, now, now + make_interval(secs => d.delays[1] / 1e6), 1 >= \(policy.attemptsMax),
      \(error.sqlState), \(error.text)
    FROM (SELECT clock_timestamp() AS now) AS t, (SELECT \(policy.delays) AS delays) AS d, unnest(\(keys)) AS k(key)
    ORDER BY k.key
    ON CONFLICT ON CONSTRAINT failure_item DO UPDATE SET
      attempts = greatest(1, f.attempts + \(counted ? 0 : 1)),
      last_at = excluded.last_at,
      next_attempt_at = excluded.last_at + make_interval(
        secs => (\(policy.delays))[greatest(1, least(f.attempts + \(counted ? 0 : 1), \(policy.delays.count)))] / 1e6),
      quarantined = greatest(1, f.attempts + \(counted ? 0 : 1)) >= \(policy.attemptsMax),
      sql_state = excluded.sql_state,
      error = excluded.error
    RETURNING f.attempts::bigint, f.quarantined
    """
  }

  /// Takes back attempts that were counted before their decisions and met nothing that speaks against the items.
  static func uncount(job: String, keys: [String], policy: RetryPolicy) -> Statement {
    """
    WITH uncounted AS (
      UPDATE settled.failure SET attempts = attempts - 1, quarantined = attempts - 1 >= \(policy.attemptsMax),
        next_attempt_at = clock_timestamp()
      WHERE job = \(job) AND key = ANY(\(keys)) AND attempts > 1
    )
    DELETE FROM settled.failure WHERE job = \(job) AND key = ANY(\(keys)) AND attempts = 1 AND dropped_at IS NULL
    """
  }

  /// Items with attempts that stand against them, and whether they may be tried again now: two columns.
  static func suspects(job: String) -> Statement {
    """
    SELECT key, NOT (last_at <= clock_timestamp() AND clock_timestamp() < next_attempt_at)
    FROM settled.failure
    WHERE job = \(job) AND attempts > 0 AND NOT quarantined AND dropped_at IS NULL
    ORDER BY attempts, next_attempt_at, id
    """
  }

  /// Lists an item that waits for somebody's lock or for room, without counting an attempt or holding it back.
  static func recordDelay(job: String, key: String, error: FailureText) -> Statement {
    """
    INSERT INTO settled.failure AS f (job, key, attempts, first_at, last_at, next_attempt_at, sql_state, error)
    SELECT \(job), \(key), 0, now, now, now, \(error.sqlState), \(error.text) FROM (SELECT clock_timestamp() AS now) AS t
    ON CONFLICT ON CONSTRAINT failure_item DO UPDATE SET last_at = excluded.last_at, sql_state = excluded.sql_state,
      error = excluded.error
    WHERE f.attempts = 0
    """
  }

  /// Failures of items that the job's schedule no longer holds, a thousand of them at most. Costs nothing while nothing
  /// fails, else a look into the indexes of its keys, which it names `key1` and on, for each failure.
  package static func pruneResolvedFailures<Key: JobKey>(job: String, schedule: String, key: Key.Type) -> Statement {
    let columns = KeyColumns.aliases(of: key).of("s")
    return """
      DELETE FROM settled.failure WHERE id = ANY(ARRAY(
        SELECT f.id FROM settled.failure AS f
        WHERE f.job = \(job) AND (
          SELECT \(raw: columns.names[0]) FROM (\(raw: schedule)) AS s
          WHERE \(raw: columns.areNamed(by: "f.key", key)) LIMIT 1) IS NULL
        LIMIT 1000))
      """
  }

  /// Success: what failed before is no longer listed.
  package static func clear(job: String, keys: [String]) -> Statement {
    "DELETE FROM settled.failure WHERE job = \(job) AND key = ANY(\(keys))"
  }
}

/// The part of an error that may be kept: no value of the statement.
package struct FailureText: Sendable, Equatable {
  package let sqlState: String?
  package let text: String

  /// The number of the attempt stands in it from the second on.
  package init(_ error: any Error, attempt: Int64 = 1) {
    if let error = error as? PostgresError {
      sqlState = error.sqlState
    } else {
      sqlState = nil
    }
    text = (attempt > 1 ? "attempt \(attempt): " : "") + String(describing: error).prefix(2000)
  }

  package init(text: String) {
    sqlState = nil
    self.text = text
  }

  /// Of an item that waits for a lock.
  init(lockHeldBy holders: String) {
    sqlState = PostgresError.lockedState
    text = "waiting for a lock held by \(holders)"
  }
}

/// The condition that leaves out items whose failure means "not now" (quarantined,
/// dropped, or backing off), and leased ones.
package enum BackoffFilter {
  /// SQL for a job's due statements; `key` is an SQL expression for the item's key as text.
  ///
  /// Back-off is real time, never the simulated clock, and holds only between the failure and the next attempt: when
  /// the server's clock is set back, the item is simply tried again. `leased` where the job is a leased one.
  package static func excluded(job: String, key: String, leased: Bool = false) -> String {
    let failure = """
      NOT EXISTS (SELECT FROM settled.failure AS f WHERE f.job = '\(job)' AND f.key = \(key)
        AND (f.quarantined OR f.dropped_at IS NOT NULL
          OR f.last_at <= clock_timestamp() AND clock_timestamp() < f.next_attempt_at))
      """
    guard leased else { return failure }
    return "\(failure) AND NOT EXISTS (SELECT FROM settled.lease AS l WHERE l.job = '\(job)' AND l.key = \(key))"
  }
}
