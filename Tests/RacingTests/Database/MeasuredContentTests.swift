import Postgres
import TestSupport
import Testing

/// Source: Racing.docc/Moderation.md, "The threshold", and Racing.docc/Activities.md, "What is plausible".
@Suite("What was measured of an activity", .timeLimit(.minutes(2))) struct MeasuredContentTests {
  private static let streams = #"{"time": [0, 1800], "distance": [0, 6000]}"#

  /// Imports the athlete's outing, whose top speed nobody reaches in a canoe.
  private func outing(_ day: RaceDay, _ athlete: Int64, speed: String = "20") async throws -> Int64 {
    try await day.course.outing(athlete, stravaId: 1, maxSpeed: speed, more: ["streams": Self.streams])
  }

  /// `hasDigest`: of an activity from before the digest of streams was kept it is reckoned at the approval.
  @Test(arguments: [true, false])
  func `an approval outlives the streams of its activity`(hasDigest: Bool) async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    _ = try await day.course.enter(athlete, try await day.course.race())
    try await day.pass(to: "2031-06-03T12:00:00Z")
    let activity = try await outing(day, athlete)
    if !hasDigest { try await day.session.execute("UPDATE racing.activity SET streams_digest = NULL") }
    try await day.validate()
    #expect(try await day.course.activityStatus(activity) == "under_review")
    try await day.course.review(activity, "approve")
    try await day.session.execute("DELETE FROM racing.activity_stream")
    // Entering a race looks at the doubts about what lies in its window.
    let month = try await day.course.race(
      duration: "monthly", from: "2031-06-01T00:00:00Z", to: "2031-07-01T00:00:00Z")
    _ = try await day.course.enter(athlete, month)
    #expect(try await day.course.activityStatus(activity) == "verified")
    let reviews = try await day.session.query("SELECT count(*) FROM racing.review").one(Int64.self)
    #expect(reviews == 1)
    // Both approvals are of the same measurements, which come back with their streams.
    try await day.course.flag(activity, by: try await day.course.spectators(1))
    try await day.course.review(activity, "approve")
    var approvals: [Int64] = []
    for speed in ["21", "20"] {
      _ = try await outing(day, athlete, speed: speed)
      approvals.append(try await day.session.query("SELECT approvals::bigint FROM racing.activity").one(Int64.self))
    }
    #expect(approvals == [0, 2])
    #expect(try await day.differences() == [])
  }

  @Test func `other streams are other measurements, and so are none`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    try await day.pass(to: "2031-06-03T12:00:00Z")
    var contents: [String] = []
    for streams in [Self.streams, #"{"time": [0, 1799], "distance": [0, 6000]}"#, "null", Self.streams] {
      _ = try await day.course.outing(athlete, stravaId: 1, more: ["streams": streams])
      contents.append(
        try await day.session.query("SELECT encode(racing.measured_content(a), 'hex') FROM racing.activity AS a").one(
          String.self))
    }
    #expect(Set(contents).count == 3 && contents[0] == contents[3])
  }
}
