import HostProcess
import Postgres

/// What waits for the operators: a race whose best activity is under review, and two withdrawals.
struct DemoDesk: Sendable {
  let app: DemoApp
  let owner: DemoOwner
  let patience: DemoPatience

  /// A race of the night, which the calendar does not have.
  private static let starts = "2031-03-31T20:00:00Z"
  private static let ends = "2031-04-01T04:30:00Z"
  /// A minute behind its due instant.
  private static let clock = "2031-04-01T05:31:00Z"
  private static let entrants = 6

  /// Returns the race and its best activity.
  func fill() async throws -> (race: Int64, activity: Int64) {
    var people = DemoPeople(seed: 7)
    let race = try await app.call(
      """
      SELECT racing.create_race('top_speed', 'monthly', 'senior_men', \(Self.starts)::text::timestamptz,
        \(Self.ends)::text::timestamptz)
      """)
    let sunday = try await app.find(DemoRace.all[0])
    let athletes = try await app.athletes(of: sunday, max: Self.entrants + 3)
    for (number, athlete) in athletes.prefix(Self.entrants).enumerated() {
      _ = try await app.text("SELECT racing.deposit(\(athlete), 1599, \("desk-\(athlete)"))::text")
      try await app.enter(athlete, race: race)
      try await app.importActivity(
        athlete, people.outing(stravaId: 9_900_000 + number, startDate: "2031-03-31T21:1\(number):00Z"))
    }
    try await patience.wait("validation") { try await owner.pendingActivities() }
    let best = try await app.call(
      "SELECT (racing.leaderboard(\(race), 1) -> 'entries' -> 0 ->> 'activityId')::bigint")
    for athlete in athletes.suffix(3) {
      _ = try await app.text("SELECT racing.flag_activity(\(best), \(athlete), 'motorized_assistance')::text")
    }
    for (number, athlete) in athletes.suffix(2).enumerated() {
      _ = try await app.text("SELECT racing.withdraw(\(athlete), \(Int64(500 * (number + 1))), 'desk')::text")
    }
    try await patience.wait("the review") { try await owner.reviews() > 0 ? 0 : 1 }
    try await owner.setClock(Self.clock)
    try await patience.wait("the end of race \(race)") { try await app.status(race) == "ended" ? 0 : 1 }
    return (race, best)
  }
}

extension DemoApp {
  /// The athletes with the first places of a race.
  fileprivate func athletes(of race: Int64, max: Int) async throws -> [Int64] {
    let statement: Statement = """
      SELECT (e ->> 'athleteId')::bigint
      FROM jsonb_array_elements(racing.leaderboard(\(race), \(Int32(max))) -> 'entries') AS e
      """
    return try await pool.withConnection { try await $0.query(statement).decode(Int64.self) }
  }
}

extension DemoOwner {
  fileprivate func reviews() async throws -> Int64 { try await number("SELECT count(*) FROM racing.review") }
}
