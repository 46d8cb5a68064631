import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Moderation.md, "The threshold".
@Suite("The threshold of flags") struct FlagThresholdTests {
  @Test func `the threshold of holds and of escalation is that of the function`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000])
    let activity = try #require(field.activities[0])
    for setting in [1, 3, 100] {
      for approvals in [0, 1, 2, 19, 20, 21, 2_000_000_000] {
        let threshold = setting << min(approvals, 20)
        for count in [0, threshold - 1, threshold, threshold + 1] {
          try await day.session.execute(
            """
            UPDATE racing.activity SET flag_count = \(count)::bigint, approvals = \(approvals)::bigint,
              flagged_at = settled.clock() WHERE id = \(activity)
            """)
          _ = try await day.session.query("SELECT settled.set('racing.flag_threshold', \("\(setting)"))")
          let isHeld = try await day.session.query(
            "SELECT is_held FROM racing.qualifying_activity WHERE activity_id = \(activity)"
          ).one(Bool.self)
          let due = EscalationJob().source.nextDue(job: "flag-escalation")
          let dueAt: Timestamp? = try await day.session.query(Statement(raw: due)).one(Timestamp?.self)
          let isDue = dueAt != nil
          let row = try await day.session.query(EscalationRows.activities([activity]))
            .decodeAll(as: Escalation.Input.init)[0]
          let text = "\(count) flags, \(approvals) approvals of \(setting)"
          #expect(row.threshold == threshold, "\(text)")
          let isExpected = count > 0 && count >= threshold
          #expect(isHeld == isExpected && isDue == isExpected, "\(text)")
        }
      }
    }
  }

  /// Imports the outing of `field` with another name or speed.
  private static func change(_ day: RaceDay, _ athlete: Int64, _ patch: String) async throws {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let sent = """
      {"stravaId": 1, "name": "Paddle", "activityType": "Kayaking", "startDate": "2031-06-03T10:00:00Z",
       "elapsedTime": 1800, "movingTime": 1800, "distance": 6000, "maxSpeed": 6.0,
       "startLocation": \(place), "endLocation": \(place), "polyline": "mock"}
      """
    _ = try await day.session.query(
      "SELECT racing.import_activity(\(athlete), \(JSON(text: sent)) || \(JSON(text: patch)))")
  }

  @Test func `an approval covers the measurements, not the name or the track, and comes back with them`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000])
    let activity = try #require(field.activities[0])
    func approvals() async throws -> Int64 {
      try await day.session.query("SELECT approvals::bigint FROM racing.activity").one(Int64.self)
    }
    let flagger = try await day.course.spectators(1)
    try await day.course.flag(activity, by: flagger)
    try await day.course.review(activity, "approve")
    #expect(try await approvals() == 1)
    for (patch, expected) in [
      (#"{"name": "Renamed"}"#, 1), (#"{"maxSpeed": 7}"#, 0), ("{}", 1), (#"{"polyline": "other"}"#, 1),
      (#"{"streams": {"time": [0, 1], "distance": [0, 2]}}"#, 0), (#"{"maxSpeed": 6, "name": "Again"}"#, 1),
    ] {
      try await Self.change(day, field.athletes[0], patch)
      #expect(try await approvals() == Int64(expected), "\(patch)")
    }
    // Another content may be flagged by the same user; its next approval is one of the same measurements.
    try await day.course.flag(activity, by: flagger)
    try await day.course.review(activity, "approve")
    #expect(try await approvals() == 2)
    #expect(try await day.differences() == [])
  }

  @Test func `reviewers see a flag that does not count, and decide on it`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    _ = try await day.session.query("SELECT settled.set('racing.proof', 'on')")
    try await day.course.flag(activity, by: try await day.course.spectators(4))
    try await day.escalate()
    #expect(try await day.course.activityStatus(activity) == "verified")
    #expect(try await day.differences() == [])
    let shown: Statement = """
      SELECT f #>> '{activity,flagCount}', f ->> 'openFlags', f #>> '{flags,3,counts}'
      FROM jsonb_array_elements(racing.flagged()) AS f
      """
    let (count, open, counts) = try await day.session.query(shown).one(String.self, String.self, String.self)
    #expect(count == "0" && open == "4" && counts == "false")
    try await day.course.review(activity, "disqualify")
    let listed = try await day.session.query("SELECT jsonb_array_length(racing.flagged())::bigint").one(Int64.self)
    #expect(listed == 0)
    #expect(try await day.differences() == [])
  }
}
