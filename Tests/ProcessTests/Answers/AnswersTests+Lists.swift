import ControlAPI
import ControlClient
import Postgres
import TestSupport

extension AnswersTests {
  /// Races, journals, athletes and activities, of which the first have all that there is, and the second ones little.
  static func lists(
    _ questions: Questions, _ course: Course, athletes: [Int64], activities: [Int64]
  ) async throws {
    try await course.session.script(
      """
      UPDATE racing.activity SET polyline = '_p~iF~ps|U_ulLnnqC' WHERE id = \(activities[0]);
      INSERT INTO racing.activity_stream (activity_id, times, distances)
        VALUES (\(activities[0]), '{0,2000000000000}', '{0,6000000000000}')
        ON CONFLICT (activity_id) DO UPDATE SET times = excluded.times, distances = excluded.distances;
      UPDATE racing.activity SET forgotten_at = settled.clock() WHERE id = \(activities[1]);
      UPDATE racing.athlete SET erased_at = settled.clock() WHERE id = \(athletes[1]);
      """)
    for id in activities { try await questions.ask(.activityShow, ["id": .integer(id), "points": .integer(2)]) }
    for id in athletes { try await questions.ask(.athleteShow, ["id": .integer(id)]) }
    try await course.session.execute("UPDATE racing.athlete SET erased_at = NULL WHERE id = \(athletes[1])")
    try await questions.ask(.raceList, ["limit": .integer(1)])
    for status in ["settled", "cancelled"] { try await questions.ask(.raceList, ["status": .text(status)]) }
    try await questions.ask(.ledgerJournals, ["limit": .integer(1)])
    try await questions.ask(.ledgerJournals, ["kind": .text("prize")])
    try await questions.ask(.ledgerJournals, ["kind": .text("entry_fee")])
    let fee = try await course.session.query("SELECT max(id) FROM racing.journal WHERE kind = 'entry_fee'").one(
      Int64.self)
    try await questions.ask(.ledgerJournal, ["id": .integer(fee)])
  }

  /// Withdrawals that wait, and what the ledger holds.
  static func books(_ questions: Questions, _ course: Course, _ athlete: Int64) async throws {
    for key in ["first", "second"] {
      _ = try await course.session.query("SELECT racing.withdraw(\(athlete), 10, \(key))")
    }
    for limit in [1, 200] as [Int64] { try await questions.ask(.withdrawalList, ["limit": .integer(limit)]) }
    try await questions.ask(.withdrawalList, ["status": .text("failed")])
    // It is not in the chain for five minutes.
    let newest = try await course.session.query("SELECT max(id) FROM racing.journal").one(Int64.self)
    try await questions.ask(.ledgerJournal, ["id": .integer(newest)])
    try await questions.ask(.ledgerBalances)
    try await questions.ask(
      .ledgerDays, ["from": .text("2031-06-01T00:00:00Z"), "to": .text("2031-06-05T00:00:00Z")])
    try await questions.ask(.ledgerJournals, ["athlete": .integer(athlete)])
  }

  /// Somebody who has checked in, and a day that was closed.
  static func days(_ questions: Questions, _ course: Course) async throws {
    try await course.session.script(
      """
      SELECT checkins.onboard('answers', 'Europe/London');
      INSERT INTO checkins.day (zone, date, checked_in, streaks_ended, closed_at)
        VALUES ('Europe/London', (settled.clock() AT TIME ZONE 'UTC')::date - 1, 1, 0, settled.clock());
      """)
    try await questions.ask(.checkinsStatus)
  }
}
