import Engine
import Operations
import Scheduling
import Postgres

/// The regular races: 4 types, 3 durations and 8 categories, for each period by the midnights of `racing.time_zone`.
///
/// Source: Racing.docc/Races.md. Every hour the job reads all periods that have not ended and begin within two days. So
/// races exist a day before they must, and downtime of any length leaves no gap. Periods that have ended get no race
/// any more. Another zone counts within the hour. Races that exist stay as they are, also those of a former zone.
enum RaceCalendar {
  static let name = "race-calendar"

  /// How long before its start a race is made: the rule asks for a day less, and a day is left for repairs.
  static let lead: Duration = .seconds(48 * 3600)
  /// How long before its start a race must exist.
  static let noticeLeast: Duration = .seconds(24 * 3600)

  static let durations = ["daily", "weekly", "monthly"]
  static let categories = [
    "junior_girls", "junior_boys", "women_u23", "men_u23", "senior_women", "senior_men", "masters_women", "masters_men",
  ]

  static func schedule(in context: JobContext) -> BuiltInSchedule {
    BuiltInSchedule(name, cron: "20 * * * *", runsAtOnce: true) { _, now, transaction in
      let (made, left) = try await transaction.query(CalendarStatements.fill(at: now)).one(Int64.self, Int64.self)
      if left > 0 {
        context.observe(
          .warning(
            job: name, key: "races",
            text: left.counted("regular race is waiting", "regular races are waiting")
              + " for an open transaction: the next run will create any missing races"))
      }
      for conflict in try await conflicts(at: now, transaction) where conflict.isNew {
        context.observe(
          .warning(
            job: name, key: "race \(conflict.id)",
            text: "a special race replaces the regular one that would start at \(conflict.startsAt)"))
      }
      return made
    }
  }

  /// A race with another end than the regular one whose type, duration, category and start it has.
  struct Conflict {
    let id: Int64
    let startsAt: Timestamp
    /// Whether the last run of the calendar did not see it.
    let isNew: Bool
  }

  private static func decode(_ rows: Rows) throws(PostgresError) -> [Conflict] {
    try rows.decode(Int64.self, Timestamp.self, Bool.self).map { Conflict(id: $0, startsAt: $1, isNew: $2) }
  }

  static func conflicts(at now: Timestamp, _ transaction: Transaction) async throws -> [Conflict] {
    try decode(try await transaction.query(CalendarStatements.conflicts(at: now)))
  }

  /// Whether the regular races exist, and which of them a special race replaces.
  static let check = Check("race calendar") { transaction in
    guard try await transaction.query(CalendarStatements.isOn).one(Bool.self) else {
      return .init("racing.calendar is off: no regular races are created")
    }
    let now = try await BusinessClock.read(transaction)
    let missing = try await transaction.query(CalendarStatements.missing(at: now)).one(Int64.self)
    guard missing == 0 else {
      return .init(
        missing.counted("regular race is missing", "regular races are missing")
          + ", although they run now or start within a day", ok: false,
        remedy: "settlectl job run race-calendar, settlectl occurrences race-calendar")
    }
    let special = try await conflicts(at: now, transaction).map { String($0.id) }
    return special.isEmpty
      ? .init("every regular race in the next day exists")
      : .init(
        "every regular race in the next day exists or is replaced by a special race: \(special.joined(separator: ", "))"
      )
  }
}
