import Engine
import Postgres
import Scheduling

/// Deletes the streams of activities that no race can count any more, every night.
///
/// Scores are kept: an activity is scored once, when it is validated. Each batch is its own transaction, so that no
/// import waits for the whole run. A run lasts at most five minutes, and continues where the last one stopped. Source:
/// Racing.docc/Activities.md, "Streams".
enum StreamPruning {
  static let name = "stream-pruning"

  /// The streams that one statement looks at: those of long activities have megabytes.
  static let batch: Int64 = 500

  /// Returns how many streams it deleted.
  static func schedule(in context: JobContext) -> BuiltInSchedule {
    BuiltInSchedule(name, cron: "0 4 * * *", timeout: BatchedRun.timeout) { _, now, transaction in
      let end = context.time.now() + BatchedRun.beginsFor
      let first = try await transaction.query(position).one(Int64.self)
      let (last, deleted) = try await context.pool.withDedicatedConnection(timeout: BatchedRun.timeout) { connection in
        var (last, deleted): (Int64?, Int64) = (first, 0)
        while let after = last, context.time.now() < end {
          let count: Int64
          (last, count) = try await connection.query(delete(after: after, limit: batch, at: now))
            .one(Int64?.self, Int64.self)
          deleted += count
        }
        return (last, deleted)
      }
      try await transaction.execute(keep(position: last ?? 0))
      return deleted
    }
  }

  /// The activity after which a run begins; 0: with the first.
  static let position: Statement = "SELECT activity_id FROM racing.stream_pruning"

  static func keep(position: Int64) -> Statement {
    "UPDATE racing.stream_pruning SET activity_id = \(position)"
  }

  /// Deletes what is over among the first `limit` streams with an id above `after`. Returns the last id that it looked
  /// at, null where there is none, and how many it deleted.
  ///
  /// A race keeps the streams of an activity that started in its window for 30 days after its latest settlement; before
  /// its end also those of athletes without an entry, who may still enter.
  static func delete(after: Int64, limit: Int64, at now: Timestamp) -> Statement {
    """
    WITH keeping AS MATERIALIZED (
      SELECT r.id, r.starts_at, r.ends_at, r.status IN ('upcoming', 'active') AS is_open
      FROM racing.race AS r WHERE r.status IN ('upcoming', 'active', 'ended')
      UNION ALL
      SELECT r.id, r.starts_at, r.ends_at, false
      FROM (SELECT DISTINCT s.race_id FROM racing.settlement AS s WHERE s.settled_at > \(now) - interval '720 hours') AS l
      JOIN racing.race AS r ON r.id = l.race_id
    ), page AS MATERIALIZED (
      SELECT s.activity_id FROM racing.activity_stream AS s WHERE s.activity_id > \(after)
      ORDER BY s.activity_id LIMIT \(limit)
    ), gone AS (
      DELETE FROM racing.activity_stream AS d USING page AS p, racing.activity AS a
      WHERE d.activity_id = p.activity_id AND a.id = p.activity_id
        AND a.scored AND a.status <> 'pending' AND a.imported_at <= \(now) - interval '720 hours'
        AND NOT EXISTS (
          SELECT FROM keeping AS k
          WHERE k.starts_at <= a.started_at AND a.started_at < k.ends_at AND (k.is_open
            OR (SELECT e.id FROM racing.entry AS e WHERE e.race_id = k.id AND e.athlete_id = a.athlete_id) IS NOT NULL))
      RETURNING d.activity_id
    )
    SELECT (SELECT max(p.activity_id) FROM page AS p), (SELECT count(*) FROM gone)
    """
  }
}
