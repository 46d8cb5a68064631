package import Engine
package import Postgres

/// Closes the calendar days of zones: ends the streaks that ended with them, records their totals, and writes events.
///
/// An item is a zone that stands on a day which has ended; each batch closes one day of each of its zones, so that days
/// missed in a long downtime are closed one after another, in the order in which they ended. The work
/// follows the streaks that end: those of a zone are found by one index (`streak_to_end`), and who
/// checked in was counted when they did.
///
/// Where more streaks end than one transaction may write, it ends a piece of them, notes in the zone's row how far it
/// got, and leaves the zone on its day. The transaction that finds no more of them closes the day with the sum. Answers
/// to apps follow from dates, so that nobody sees whether a streak's turn has come.
package struct DailyResetJob: Job {
  package let name = "daily-reset"
  package let largestBatch = 512

  private let limits: StreakPiece.Limits

  package init() {
    self.init(limits: StreakPiece.Limits())
  }

  init(limits: StreakPiece.Limits) {
    self.limits = limits
  }

  /// Zones whose day is being closed in pieces come after those that are still to begin: these are done quickly.
  package let source = DueSource(
    "checkins.zone", key: "name", order: "t.ended_id > 0, t.next_at", [.init(at: "t.next_at", where: "true")])

  /// Waits shortly for check-ins that began on the days that are to be closed, and are not yet committed.
  package func gather(_ keys: [String], at now: Timestamp, in transaction: Transaction) async throws
    -> [DailyReset.Input]
  {
    let replies = try await transaction.pipeline(
      [DailyResetRows.lockWait] + DailyResetRows.holdDays(of: keys) + [DailyResetRows.zones(keys)])
    return try replies[replies.count - 1].decodeAll(as: DailyReset.Input.init)
  }

  package func key(of zone: DailyReset.Input) -> String { zone.zone }

  package func decide(_ zone: DailyReset.Input, at now: Timestamp) throws -> DailyReset {
    try DailyReset(zone, at: now)
  }

  package func apply(_ resets: [DailyReset], at now: Timestamp, in transaction: Transaction) async throws {
    var piece = StreakPiece(limits)
    try await piece.end(resets.filter { $0.closes && $0.hasEndingStreaks }, at: now, in: transaction)
    let staying = resets.filter { piece.unfinished.contains($0.zone) }
    let moving = resets.filter { !piece.unfinished.contains($0.zone) }
    let closing = moving.filter(\.closes)
    let replies = try await transaction.pipeline([
      DailyResetRows.advance(moving), DailyResetRows.takeTallies(closing),
      DailyResetRows.keep(staying.map { ($0.zone, piece.ended[$0.zone] ?? $0.ended) }),
    ])
    guard replies[0].affected == moving.count, replies[2].affected == staying.count else {
      throw CheckInsError(
        .written, "\(replies[0].affected + replies[2].affected) zones were written, but \(resets.count) were expected")
    }
    let checkedIn = Dictionary(uniqueKeysWithValues: try replies[1].decode(String.self, Int64.self))
    let closed = closing.map { reset in
      ClosedDay(
        zone: reset.zone, date: reset.date, checkedIn: checkedIn[reset.zone] ?? 0,
        streaksEnded: (piece.ended[reset.zone] ?? reset.ended).count)
    }
    _ = try await transaction.pipeline([
      DailyResetRows.record(closed, at: now),
      EventStatements.emit(
        topic: "day.closed", keys: closed.map(\.key), payloads: closed.map(\.payload), at: now),
    ])
  }
}
