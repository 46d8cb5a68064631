package import Engine
package import Postgres

/// Closes the calendar days of zones: ends the streaks that ended with them, records their totals, tells.
///
/// An item is a zone that stands on a day which has ended; each batch closes one day of each of its zones, so that days
/// missed in a long downtime are closed one after another, in the order in which they ended. The work follows the streaks
/// that end: those of a zone are found by one index (`streak_to_end`), and who checked in was counted when they did.
package struct DailyResetJob: Job {
  package let name = "daily-reset"
  package let largestBatch = 512

  package init() {}

  package var nextDue: String { DailyResetStatements.nextDue(job: name) }

  package var schedule: String { DailyResetStatements.schedule }

  package func lock(_ request: LockRequest<String>) -> Statement {
    DailyResetStatements.lock(request, job: name)
  }

  /// Waits shortly for check-ins that began on the days that are to be closed, and are not yet committed.
  package func gather(_ keys: [String], at now: Timestamp, in transaction: Transaction) async throws
    -> [DailyReset.Input]
  {
    let replies = try await transaction.pipeline(
      [DailyResetStatements.lockWait] + DailyResetStatements.holdDays(of: keys) + [DailyResetStatements.zones(keys)])
    return try Self.inputs(replies[replies.count - 1])
  }

  /// Never inlined: within the asynchronous function it would end Swift 6.3.1's optimiser.
  @inline(never)
  private static func inputs(_ rows: Rows) throws(PostgresError) -> [DailyReset.Input] {
    try rows.decode(String.self, String.self, Bool.self, [String].self, [Timestamp].self).map {
      zone, date, hasEndingStreaks, dates, starts in
      DailyReset.Input(
        zone: zone, date: date, hasEndingStreaks: hasEndingStreaks,
        days: zip(dates, starts).map { ZoneDay(date: $0, start: $1) })
    }
  }

  package func key(of zone: DailyReset.Input) -> String { zone.zone }

  package func decide(_ zone: DailyReset.Input, at now: Timestamp) throws -> DailyReset {
    try DailyReset(zone, at: now)
  }

  package func apply(_ resets: [DailyReset], at now: Timestamp, in transaction: Transaction) async throws {
    let closing = resets.filter(\.closes)
    let ending = closing.filter(\.hasEndingStreaks)
    let replies = try await transaction.pipeline(
      [DailyResetStatements.advance(resets), DailyResetStatements.takeTallies(closing)]
        + ending.map { DailyResetStatements.endStreaks($0, at: now) })
    guard replies[0].affected == resets.count else {
      throw CheckInsError(.written, "\(replies[0].affected) zones moved on where \(resets.count) were decided")
    }
    let checkedIn = Dictionary(uniqueKeysWithValues: try replies[1].decode(String.self, Int64.self))
    let ended = Dictionary(
      uniqueKeysWithValues: zip(ending, replies[2...]).map { ($0.zone, Int64($1.affected)) })
    let closed = closing.map { reset in
      ClosedDay(
        zone: reset.zone, date: reset.date, checkedIn: checkedIn[reset.zone] ?? 0,
        streaksEnded: ended[reset.zone] ?? 0)
    }
    _ = try await transaction.pipeline([
      DailyResetStatements.record(closed, at: now),
      EventStatements.emit(
        topic: "day.closed", keys: closed.map(\.key), payloads: closed.map(\.payload), at: now),
    ])
  }
}

/// A closed day with its totals.
struct ClosedDay: Hashable {
  let zone: String
  let date: String
  let checkedIn: Int64
  let streaksEnded: Int64

  var key: String { "\(zone) \(date)" }

  /// Zones and dates hold nothing that JSON would escape.
  var payload: String {
    #"{"zone": "\#(zone)", "date": "\#(date)", "checkedIn": \#(checkedIn), "streaksEnded": \#(streaksEnded)}"#
  }
}
