import Engine
import Postgres
import Scheduling

/// Forgets the name, the places, the track and the streams of activities that their athletes have deleted at the
/// provider, and of athletes who have disconnected, every hour.
///
/// Ids, starts, times, distances and scores stay, and the content's digest: no settlement reads what goes, but that of
/// a pending activity. Each batch is a transaction of its own, and passes over activities that others hold. Source:
/// Racing.docc/ProviderChanges.md, "What is forgotten".
enum Forgetting {
  static let name = "activity-forgetting"

  /// The activities that one statement forgets: tracks and streams have megabytes.
  static let batch: Int64 = 200

  /// Returns how many activities it made forgotten, and claims that it deleted.
  static func schedule(in context: JobContext) -> BuiltInSchedule {
    BuiltInSchedule(name, cron: "35 * * * *", timeout: BatchedRun.timeout) { _, now, transaction in
      let forgotten = try await BatchedRun.run(in: context) { connection in
        let activities = Int64(try await connection.execute(forget(limit: batch, at: now)))
        return try await activities + connection.query(ClaimPruning.prune(max: batch, at: now)).one(Int64.self)
      }
      try await transaction.execute(finish(at: now))
      return forgotten
    }
  }

  /// Forgets at most twice `limit` activities. One that waits for its validation of a revoked athlete is forgotten
  /// after it, twelve hours later at the latest.
  static func forget(limit: Int64, at now: Timestamp) -> Statement {
    """
    WITH due AS MATERIALIZED (
      (SELECT d.activity_id AS id FROM racing.deletion AS d WHERE d.forget_at <= \(now)
       ORDER BY d.forget_at LIMIT \(limit))
      UNION
      (SELECT a.id FROM racing.revocation AS r
       JOIN racing.activity AS a ON a.athlete_id = r.athlete_id AND a.imported_at <= r.revoked_at
         AND a.forgotten_at IS NULL AND (a.status <> 'pending' OR r.forget_at <= \(now) - interval '12 hours')
       WHERE r.forget_at <= \(now) LIMIT \(limit))
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

  /// Ends the revocations of which everything is forgotten.
  static func finish(at now: Timestamp) -> Statement {
    """
    DELETE FROM racing.revocation AS r
    WHERE r.forget_at <= \(now) AND NOT EXISTS (
      SELECT FROM racing.activity AS a
      WHERE a.athlete_id = r.athlete_id AND a.imported_at <= r.revoked_at AND a.forgotten_at IS NULL)
      AND NOT EXISTS (SELECT FROM racing.claim AS c WHERE c.athlete_id = r.athlete_id AND c.rejected_at <= r.revoked_at)
    """
  }
}
