import Postgres

/// Keeps history within its limits, every night: partitions of occurrences are planted ahead, and what is older than its
/// retention is dropped, partition by partition.
///
/// Each step is a function of the owner's and a transaction of its own, because it locks everybody out of a table; it
/// waits for that at most a second at a time. Who holds a table for longer is let have it: the run fails, says so, and
/// the next one does the rest.
package struct HistoryPruning: Sendable {
  package static let name = "history-pruning"

  /// Moving a month of rows out of the default partition may take a while.
  private static let timeout: Duration = .seconds(600)
  /// Attempts at one step, and the partitions that one run plants or drops of a kind.
  private static let attemptsMax = 3
  private static let stepsMax = 100
  /// Daemons that ended so long ago are forgotten, with what they knew of the clock.
  private static let nodesKept = "30 days"
  /// Kept answers that one run removes.
  private static let requestsMax = 100_000

  let context: JobContext
  private let steps: [HistoryStep]

  /// - Parameter domains: the steps of the domains' own tables, which come after those of the house.
  package init(_ domains: [HistoryStep] = [], in context: JobContext) {
    self.context = context
    steps = Self.steps + domains
  }

  package var schedule: InternalSchedule {
    InternalSchedule(Self.name, cron: "40 3 * * *", timeout: Self.timeout) { _, _, transaction in
      try await run(in: transaction)
    }
  }

  /// The steps in their order; each is repeated until it yields null.
  private static let steps = [
    HistoryStep("settled.plant_occurrences", of: "settled.occurrence"),
    HistoryStep("settled.prune_occurrences", of: "settled.occurrence"),
    HistoryStep("settled.close_events", of: "settled.event"), HistoryStep("settled.prune_events", of: "settled.event"),
  ]

  /// Yields how many partitions were planted, closed and dropped.
  private func run(in transaction: Transaction) async throws -> Int64 {
    let (done, busy) = try await context.pool.apart(timeout: Self.timeout) { [steps] connection in
      var done: Int64 = 0
      var busy: [String] = []
      for step in steps where !busy.contains(step.table) {
        for _ in 0..<Self.stepsMax {
          guard let partition = try await take(step.function, connection) else {
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

  /// One step: the partition that it concerned, null where there is nothing to do; nil where others held the table at
  /// each attempt.
  private func take(_ function: String, _ connection: Connection) async throws -> String?? {
    for attempt in 1...Self.attemptsMax {
      do {
        return .some(try await connection.query("SELECT \(raw: function)()").one(String?.self))
      } catch {
        guard error.sqlState == "55P03" || error.sqlState == "40P01" else { throw error }
        if attempt < Self.attemptsMax {
          try await context.time.sleep(.seconds(attempt) + .seconds(2) * context.time.draw())
        }
      }
    }
    return nil
  }

  /// Definitions by which no tick is judged any more.
  static let forgetPeriods: Statement = """
    DELETE FROM settled.schedule_period USING settled.occurrence_history WHERE valid_to < kept_from
    """

  static let forgetNodes: Statement = """
    DELETE FROM settled.node
    WHERE state IN ('gone', 'stopped') AND last_seen_at < clock_timestamp() - interval '\(raw: nodesKept)'
    """

  /// Answers that may be asked for again, as long as events are kept; a night's share, so that it ends in time.
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

  /// Stops that bound nobody any more but their own nodes, which are gone.
  static let forgetStops: Statement = """
    DELETE FROM settled.clock_hold AS h
    WHERE (h.lifted OR h.accepted) AND NOT EXISTS (SELECT FROM settled.node AS n WHERE n.node = h.node)
      AND h.since < clock_timestamp() - interval '\(raw: nodesKept)'
    """
}

/// Others held tables for so long that nothing could be done to their partitions.
struct HistoryBusy: Error, CustomStringConvertible {
  let tables: [String]

  var description: String {
    "others held \(tables.joined(separator: " and ")) at each attempt: look for long readers (pg_stat_activity), "
      + "then settlectl job run \(HistoryPruning.name)"
  }
}
