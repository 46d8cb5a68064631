import Engine
import Postgres
import Scheduling

/// Forgets the name, the places, the track and the streams of activities that their athletes have deleted at the
/// provider, and of athletes who have disconnected, every hour.
///
/// Ids, starts, times, distances, scores and the content's digest are kept: a settlement reads the erased content only
/// of a pending activity. Each batch is its own transaction, and skips activities that others have locked. Source:
/// Racing.docc/ProviderChanges.md, "What is forgotten".
enum Forgetting {
  static let name = "activity-forgetting"

  /// The activities that one statement forgets: tracks and streams have megabytes.
  static let batch: Int64 = 200
  /// The athletes whose activities are read together. Each statement reads all of theirs, so they are few.
  static let pageSize: Int64 = 20

  /// Returns how many activities it made forgotten, and claims that it deleted.
  static func schedule(in context: JobContext) -> BuiltInSchedule {
    BuiltInSchedule(name, cron: "35 * * * *", timeout: BatchedRun.timeout) { _, now, _ in
      let end = context.time.now() + BatchedRun.beginsFor
      return try await context.pool.withDedicatedConnection(timeout: BatchedRun.timeout) { connection in
        /// Repeats a batch until it has done nothing, or the time is over.
        func repeated(_ batch: () async throws -> Int64) async throws -> Int64 {
          var done: Int64 = 0
          while context.time.now() < end {
            let count = try await batch()
            guard count > 0 else { break }
            done += count
          }
          return done
        }
        var done = try await repeated { Int64(try await connection.execute(forgetDeleted(limit: batch, at: now))) }
        // Each athlete is looked at once in a run, so that its work grows with their number and no faster.
        var athletes = try await connection.query(page(after: 0, at: now)).one([Int64].self)
        while let last = athletes.last, context.time.now() < end {
          let page = athletes
          done += try await repeated {
            Int64(try await connection.execute(forgetRevoked(page, limit: batch, at: now)))
          }
          done += try await repeated {
            try await connection.query(forgetClaims(page, limit: batch, at: now)).one(Int64.self)
          }
          try await connection.execute(finish(page, at: now))
          athletes = try await connection.query(Self.page(after: last, at: now)).one([Int64].self)
        }
        return done
      }
    }
  }

  /// One value: the next athletes, by their ids, whose revocation is due.
  static func page(after athlete: Int64, at now: Timestamp) -> Statement {
    """
    SELECT coalesce(array_agg(p.athlete_id ORDER BY p.athlete_id), '{}') FROM (
      SELECT r.athlete_id FROM racing.revocation AS r WHERE r.athlete_id > \(athlete) AND r.forget_at <= \(now)
      GROUP BY r.athlete_id ORDER BY r.athlete_id LIMIT \(pageSize)
    ) AS p
    """
  }

  /// Forgets at most `limit` deleted activities.
  static func forgetDeleted(limit: Int64, at now: Timestamp) -> Statement {
    forget(
      """
      SELECT d.activity_id AS id FROM racing.deletion AS d WHERE d.forget_at <= \(now)
      ORDER BY d.forget_at LIMIT \(limit)
      """, at: now)
  }

  /// Forgets at most `limit` activities of revoked athletes. One that waits for its validation is forgotten after it,
  /// twelve hours later at the latest.
  static func forgetRevoked(_ athletes: [Int64], limit: Int64, at now: Timestamp) -> Statement {
    forget(
      """
      SELECT a.id FROM racing.revocation AS r
      JOIN racing.activity AS a ON a.athlete_id = r.athlete_id AND a.imported_at <= r.revoked_at
        AND a.forgotten_at IS NULL AND (a.status <> 'pending' OR r.forget_at <= \(now) - interval '12 hours')
      WHERE r.athlete_id = ANY(\(athletes)) AND r.forget_at <= \(now) LIMIT \(limit)
      """, at: now)
  }

  /// Forgets the activities of which `due` yields the ids, but for those that others hold.
  private static func forget(_ due: Statement, at now: Timestamp) -> Statement {
    """
    WITH due AS MATERIALIZED (
      \(fragment: due)
    ), free AS MATERIALIZED (
      SELECT a.id FROM racing.activity AS a JOIN due AS d ON d.id = a.id ORDER BY a.id
      FOR NO KEY UPDATE OF a SKIP LOCKED
    ), streams AS (
      DELETE FROM racing.activity_stream AS s USING free AS f WHERE s.activity_id = f.id
    ), deletions AS (
      DELETE FROM racing.deletion AS d USING free AS f WHERE d.activity_id = f.id
    )
    UPDATE racing.activity AS a SET name = '', polyline = NULL, start_latitude = NULL, start_longitude = NULL,
      end_latitude = NULL, end_longitude = NULL, forgotten_at = \(now)
    FROM free AS f WHERE a.id = f.id
    """
  }

  /// One number: how many rejected claims of these athletes it deleted, at most `limit`.
  static func forgetClaims(_ athletes: [Int64], limit: Int64, at now: Timestamp) -> Statement {
    "SELECT racing.forget_claims(\(athletes), \(limit), \(now))"
  }

  /// Ends the revocations of these athletes of which everything is forgotten.
  static func finish(_ athletes: [Int64], at now: Timestamp) -> Statement {
    """
    DELETE FROM racing.revocation AS r
    WHERE r.athlete_id = ANY(\(athletes)) AND r.forget_at <= \(now) AND NOT EXISTS (
      SELECT FROM racing.activity AS a
      WHERE a.athlete_id = r.athlete_id AND a.imported_at <= r.revoked_at AND a.forgotten_at IS NULL)
      AND NOT EXISTS (SELECT FROM racing.claim AS c WHERE c.athlete_id = r.athlete_id AND c.rejected_at <= r.revoked_at)
    """
  }
}
