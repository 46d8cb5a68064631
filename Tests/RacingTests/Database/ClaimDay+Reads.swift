import Postgres
import TestSupport

@testable import Racing

extension ClaimDay {
  /// Signs in with an account, as the daemon keeps it.
  func sign(_ athlete: Int64, in account: Int64?) async throws {
    try await session.execute(
      """
      UPDATE strava.connection SET provider_athlete_id = \(account), status = 'active', reason = NULL,
        expires_at = settled.clock() + interval '6 hours', changed_at = settled.clock()
      WHERE athlete_id = \(athlete)
      """)
  }

  /// Whether the daemon would keep the tokens of an account.
  func may(_ athlete: Int64, have account: Int64) async throws -> Bool {
    try await session.query("SELECT racing.claim_account(\(athlete), \(account))").one(Bool.self)
  }

  /// Who has the first prize of a race; nil: nobody.
  func winner(_ race: Int64) async throws -> Int64? {
    try await session.query(
      "SELECT athlete_id FROM racing.payout WHERE race_id = \(race) AND place = 1 ORDER BY revision DESC LIMIT 1"
    ).decode(Int64.self).first
  }

  /// The streams of an activity whose first kilometre took so long.
  func addStreams(_ athlete: Int64, _ outing: JSON, kilometre seconds: Int) async throws {
    let streams = #"{"time": [0, \#(seconds), 1800], "distance": [0, 1000, 6000]}"#
    let whole = JSON(text: String(outing.text.dropLast()) + #", "streams": \#(streams)}"#)
    _ = try await session.query("SELECT racing.take_streams(\(athlete), \(whole))")
  }

  /// What the daemon does with reads whose time is over.
  func endReads() async throws {
    _ = try await session.query(
      "SELECT strava.end_request(id) FROM strava.read_request WHERE until_at <= settled.clock()")
  }

  /// The only page of the athlete's listing in the line of the results.
  func listInLine(_ athlete: Int64, _ activities: [JSON]) async throws {
    let items = JSON(text: "[\(activities.map(\.text).joined(separator: ","))]")
    _ = try await session.query(
      """
      SELECT strava.begin_reads(array_agg(id)) FROM strava.read_request
      WHERE athlete_id = \(athlete) AND kind = 'listing' AND class = 0
      """)
    _ = try await session.query(
      """
      SELECT strava.write_listing(id, began_at, since, before, 1, \(items), false)
      FROM strava.read_request WHERE athlete_id = \(athlete) AND kind = 'listing' AND class = 0
      """)
  }
}
