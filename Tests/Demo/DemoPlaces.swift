import HostProcess
import Postgres

/// Where the story has left things that people then call for.
struct DemoPlaces: Sendable {
  /// A race that is settled, and the athlete who won it.
  let settledRace: Int64
  let winner: Int64
  /// A race that runs until the end of the month, which the winner may enter.
  let openRace: Int64
  /// An activity of somebody else.
  let activity: Int64

  static let season = (name: "track", year: "2030")
  static let reader: Int64 = 1
  static let checkIn = "Nia"
  static let coach = "coach"

  private static let won = DemoRace.all[1]
  private static let open = DemoRace(
    title: "April's furthest distance, senior women", type: "furthest_distance", duration: "monthly",
    category: "senior_women", startsAt: "2031-03-31T23:00:00Z", endsAt: "2031-04-30T23:00:00Z", entries: 0,
    gender: "female", bornIn: 1997...2006, isPaddled: false)

  init(app: DemoApp) async throws {
    settledRace = try await app.find(Self.won)
    openRace = try await app.find(Self.open)
    guard let first = try await app.payouts(settledRace).first else {
      throw Exit(.bug, "nobody won race \(settledRace)")
    }
    winner = first.1
    activity = try await app.activity(notOf: winner)
  }
}

extension DemoApp {
  /// The latest verified activity of somebody else.
  func activity(notOf athlete: Int64) async throws -> Int64 {
    try await call(
      """
      SELECT max((a->>'id')::bigint) FROM jsonb_array_elements(racing.activities()) AS a
      WHERE (a->>'athleteId')::bigint <> \(athlete)
      """)
  }
}
