package import Engine
import Postgres

/// Keeps history within its limits, every night: creates partitions ahead, and drops history older than its retention,
/// partition by partition. It covers the engine's own tables and those that the modules' retention.sql declares.
///
/// Each step is a function of the owner in its own transaction, because it locks a table exclusively; it waits for the
/// lock at most a second at a time. If a reader keeps a table for longer, the run fails with an error, and the next one
/// does the rest.
package struct HistoryPruning: Sendable {
  package static let name = "history-pruning"

  /// Moving a month of rows out of the default partition may take a while.
  private static let timeout: Duration = .seconds(600)
  /// Attempts at one step, and the partitions of each kind that one run creates or drops.
  private static let attemptsMax = 3
  private static let stepsMax = 100
  /// Daemons that ended so long ago are removed, with their clock records.
  private static let nodesKept = "30 days"
  /// Kept answers that one run removes.
  private static let requestsMax = 100_000

  let context: JobContext

  package init(in context: JobContext) {
    self.context = context
  }

  /// It runs immediately on a new database: rows that arrive before the partitions would have to move into them under
  /// an exclusive lock.
  package var schedule: BuiltInSchedule {
    BuiltInSchedule(Self.name, cron: "40 3 * * *", timeout: Self.timeout, runsAtOnce: true) { _, _, transaction in
      try await run(in: transaction)
    }
  }

  /// A function of the owner that creates, rotates or drops one partition of a table, and returns its name, or null.
  private struct Step {
    let call: Statement
    let table: String
  }

  /// The steps for the engine's own tables in their order; each is repeated until it returns null.
  private static let steps = [
    Step(call: "settled.plant_occurrences()", table: "settled.occurrence"),
    Step(call: "settled.prune_occurrences()", table: "settled.occurrence"),
    Step(call: "settled.close_events()", table: "settled.event"),
    Step(call: "settled.prune_events()", table: "settled.event"),
  ]

  private static let declared: Statement = """
    SELECT schema_name, table_name FROM settled.retention ORDER BY schema_name, table_name
    """

  /// The same for the tables that modules declare.
  private static func steps(of declared: Rows) throws -> [Step] {
    try declared.decode(String.self, String.self).flatMap { schema, table in
      ["plant", "prune"].map { verb in
        Step(call: "settled.\(raw: verb)_partition(\(schema), \(table))", table: "\(schema).\(table)")
      }
    }
  }

  /// Returns how many partitions were created, closed and dropped.
  private func run(in transaction: Transaction) async throws -> Int64 {
    let (done, busy) = try await context.pool.withDedicatedConnection(timeout: Self.timeout) { connection in
      let steps = try await Self.steps + Self.steps(of: connection.query(Self.declared))
      var done: Int64 = 0
      var busy: [String] = []
      for step in steps where !busy.contains(step.table) {
        for _ in 0..<Self.stepsMax {
          guard let partition = try await take(step, connection) else {
            busy.append(step.table)
            break
          }
          guard partition != nil else { break }
          done += 1
        }
      }
      return (done, busy)
    }
    _ = try await transaction.pipeline([
      Self.forgetPeriods, Self.forgetNodes, Self.forgetBaselines, Self.forgetStops, Self.forgetRequests,
    ])
    guard busy.isEmpty else { throw HistoryBusy(tables: busy) }
    return done
  }

  /// One step: its partition, null if there is nothing to do; nil if the table was locked at each attempt.
  private func take(_ step: Step, _ connection: Connection) async throws -> String?? {
    for attempt in 1...Self.attemptsMax {
      do {
        return .some(try await connection.query("SELECT \(fragment: step.call)").one(String?.self))
      } catch {
        guard error.verdict == .contention else { throw error }
        if attempt < Self.attemptsMax {
          try await context.time.sleep(.seconds(attempt) + .seconds(2) * context.time.draw())
        }
      }
    }
    return nil
  }

  /// Definitions that no longer apply to any kept tick.
  static let forgetPeriods: Statement = """
    DELETE FROM settled.schedule_period USING settled.occurrence_history WHERE valid_to < kept_from
    """

  static let forgetNodes: Statement = """
    DELETE FROM settled.node
    WHERE state IN ('gone', 'stopped') AND last_seen_at < clock_timestamp() - interval '\(raw: nodesKept)'
    """

  /// Answers kept for repeated requests, as long as events are kept; one night's share, so that the run ends in time.
  static let forgetRequests: Statement = """
    DELETE FROM settled.request AS r WHERE (r.uid, r.request_id) IN (
      SELECT o.uid, o.request_id FROM settled.request AS o
      WHERE o.at < clock_timestamp() - settled.setting_span('settled.event_retention')
      LIMIT \(raw: "\(requestsMax)"))
    """

  static let forgetBaselines: Statement = """
    DELETE FROM settled.clock_baseline AS b
    WHERE NOT EXISTS (SELECT FROM settled.node AS n WHERE n.node = b.node)
      AND b.database_at < clock_timestamp() - interval '\(raw: nodesKept)'
    """

  /// Stops that bound only their own nodes, which are gone.
  static let forgetStops: Statement = """
    DELETE FROM settled.clock_hold WHERE node IN (
      SELECT h.node FROM settled.clock_hold AS h
      WHERE (h.lifted OR h.accepted) AND NOT EXISTS (SELECT FROM settled.node AS n WHERE n.node = h.node)
        AND h.since < clock_timestamp() - interval '\(raw: nodesKept)'
      ORDER BY h.node COLLATE "C" FOR UPDATE OF h SKIP LOCKED)
    """
}

/// Tables were locked for so long that their partitions could not be changed.
struct HistoryBusy: Error, CustomStringConvertible {
  let tables: [String]

  var description: String {
    "other sessions locked \(tables.joined(separator: " and ")) during each attempt: "
      + "look for long-running queries (pg_stat_activity), then run settlectl job run \(HistoryPruning.name)"
  }
}
