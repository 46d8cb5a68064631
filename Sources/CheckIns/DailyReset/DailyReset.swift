package import Postgres

/// The decision of the daily-reset job: which day of a zone has ended, and which one is next.
///
/// Pure. The day ends at the first instant of the next date that the zone has: what clocks show meanwhile, and dates
/// that do not exist, make no difference. Source: CheckIns.docc/Days.md, "Closing a day".
package struct DailyReset: Hashable, Sendable {
  /// The state of a zone, read under its lock.
  package struct Input: Hashable, Sendable {
    package let zone: String
    /// The date on which the zone stands.
    package let date: String
    /// Whether any streak ends with that date; where none does there is nothing to write for streaks.
    package let hasEndingStreaks: Bool
    /// The streaks that earlier pieces of the closing ended.
    package let ended: EndedStreaks
    /// The days that the zone has from that date on, by the tz data of this moment.
    package let days: [ZoneDay]

    package init(zone: String, date: String, hasEndingStreaks: Bool, ended: EndedStreaks = .none, days: [ZoneDay]) {
      self.zone = zone
      self.date = date
      self.hasEndingStreaks = hasEndingStreaks
      self.ended = ended
      self.days = days
    }
  }

  package let zone: String
  /// The date on which the zone stands.
  package let date: String
  /// Whether that date is closed now; false where new tz data moved its end, or took the date away.
  package let closes: Bool
  package let hasEndingStreaks: Bool
  package let ended: EndedStreaks
  /// The next date to close, and the instant at which it ends.
  package let nextDate: String
  package let nextAt: Timestamp

  /// Throws `CheckInsError.calendar` where fewer than three days are known.
  package init(_ input: Input, at now: Timestamp) throws(CheckInsError) {
    guard input.days.count >= 3 else {
      throw CheckInsError(.calendar, "fewer than three days are known in \(input.zone) from \(input.date) onwards")
    }
    let (first, second, third) = (input.days[0], input.days[1], input.days[2])
    zone = input.zone
    date = input.date
    hasEndingStreaks = input.hasEndingStreaks
    ended = input.ended
    closes = first.date == input.date && second.start <= now
    nextDate = closes ? second.date : first.date
    nextAt = closes ? third.start : second.start
  }
}

/// A calendar day of a zone, by its first instant. The date is written `2031-03-30`.
package struct ZoneDay: Hashable, Sendable {
  package let date: String
  package let start: Timestamp

  package init(date: String, start: Timestamp) {
    self.date = date
    self.start = start
  }
}
