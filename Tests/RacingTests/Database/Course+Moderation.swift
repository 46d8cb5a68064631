import Engine
import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

extension Course {
  /// Somebody who only looks, and flags.
  func spectator(_ name: String = "Spec Tator") async throws -> Int64 {
    try await session.query("SELECT racing.create_athlete(\(name), user_type => 'spectator')").one(Int64.self)
  }

  func spectators(_ count: Int) async throws -> [Int64] {
    var all: [Int64] = []
    for index in 0..<count { all.append(try await spectator("Spectator \(index)")) }
    return all
  }

  func flag(_ activity: Int64, by users: [Int64]) async throws {
    for user in users {
      _ = try await session.query("SELECT racing.flag_activity(\(activity), \(user), 'suspicious_speed')")
    }
  }

  /// Returns the races affected.
  @discardableResult
  func review(_ activity: Int64, _ decision: String, by reviewer: String = "mod") async throws -> [Int64] {
    try await session.query(
      """
      SELECT ARRAY(SELECT r::bigint FROM jsonb_array_elements_text(
        racing.review_activity(\(activity), \(decision), \(reviewer), 'because') -> 'affectedRaces') AS r)
      """
    ).one([Int64].self)
  }

  /// Returns the races affected.
  @discardableResult
  func overrule(_ activity: Int64, _ decision: String, by reviewer: String = "uid 0") async throws -> [Int64] {
    try await session.query(
      """
      SELECT ARRAY(SELECT r::bigint FROM jsonb_array_elements_text(
        racing.overrule_review(\(activity), \(decision), \(reviewer), 'seen again') -> 'affectedRaces') AS r)
      """
    ).one([Int64].self)
  }

  func activityStatus(_ activity: Int64) async throws -> String {
    try await session.query("SELECT status FROM racing.activity WHERE id = \(activity)").one(String.self)
  }

  /// Balance, pending, receivable.
  func purse(_ athlete: Int64) async throws -> [Int64] {
    let purse = try await session.query(
      "SELECT balance_pence, pending_pence, receivable_pence FROM racing.wallet WHERE athlete_id = \(athlete)"
    ).one(Int64.self, Int64.self, Int64.self)
    return [purse.0, purse.1, purse.2]
  }

  /// An athlete's worth to the books: the wallet less the debt.
  func worth(_ athlete: Int64) async throws -> Int64 {
    let purse = try await purse(athlete)
    return purse[0] - purse[2]
  }

  func revisions(_ race: Int64) async throws -> Int64 {
    try await session.query("SELECT count(*) FROM racing.settlement WHERE race_id = \(race)").one(Int64.self)
  }

  /// Topics with their payloads' text, in the order they were written.
  func events(_ topic: String) async throws -> [String] {
    try await session.query("SELECT payload::text FROM settled.event_pending WHERE topic = \(topic) ORDER BY id")
      .decode(String.self)
  }
}

extension RaceDay {
  /// Cancels as the operator's command does.
  @discardableResult
  func cancel(_ race: Int64, by other: Connection? = nil) async throws -> Int64 {
    let gate = course.database.context(pool).gate
    return try await (other ?? session).transaction { transaction in
      try await CancelRace(gate: gate).cancel(race, reason: "storm", in: transaction).amount
    }
  }

  /// Every committed row of the books so far, as a text that later looks must still find at its front.
  func page() async throws -> [String] {
    try await session.query(
      """
      SELECT x FROM (
        SELECT 1 AS t, id, j::text AS x FROM racing.journal AS j UNION ALL SELECT 2, id, p::text FROM racing.posting AS p
        UNION ALL SELECT 3, race_id * 1000 + revision, s::text FROM racing.settlement AS s
        UNION ALL SELECT 4, entry_id * 1000 + revision, y::text FROM racing.payout AS y
        UNION ALL SELECT 5, id, d::text FROM racing.decision AS d) AS rows ORDER BY t, id
      """
    ).decode(String.self)
  }
}
