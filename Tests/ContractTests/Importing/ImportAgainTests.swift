import Postgres
import TestSupport
import Testing

@Suite("An activity that is imported again") struct ImportAgainTests {
  static let row = "(SELECT to_jsonb(a) FROM racing.activity a)"

  /// The same values, written in another way.
  static let sameContent = [
    "{}",
    """
    {"stravaId": 1001.0, "elapsedTime": 600.000, "movingTime": 5905e-1, "distance": 2.00025e3, "maxSpeed": 4.20,
     "startDate": "2031-06-03T11:00:00.000+01:00", "startLocation": {"longitude": -0.10, "latitude": 51.500},
     "streams": {"distance": [0.0, 3, 3.000], "time": [0.0, 1.00, 25e-1]}}
    """,
  ]

  @Test func `an activity imported again with the same content changes nothing, at any status`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    _ = try await course.enter(athlete, course.race())
    let id = try await session.value(Outing.call(athlete))
    // Long past due_at, where other content would be refused.
    try await course.setClock("2031-07-01T00:00:00Z")
    for status in ["pending", "verified", "rejected", "under_review", "disqualified"] {
      let reasons = status == "rejected" ? "{uk}" : "{}"
      try await session.run(
        "UPDATE racing.activity SET status = '\(status)', scored = true, distance_cm = 5, reasons = '\(reasons)'")
      let before = try await session.json("SELECT \(Self.row)")
      for patch in Self.sameContent {
        #expect(try await session.value(Outing.call(athlete, patch)) == id, "\(status)")
        #expect(try await session.json("SELECT \(Self.row)") == before, "\(status)")
      }
    }
  }

  @Test func `an activity imported with other content is pending again, without scores, and keeps its flags`()
    async throws
  {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    let id = try await session.value(Outing.call(athlete))
    let rest = #"{"elapsedTime": 601, "name": "n2"}"#
    for status in ["pending", "verified", "rejected"] {
      try await session.transaction(commit: false) { transaction in
        try await transaction.run(
          """
          UPDATE racing.activity SET status = '\(status)', scored = true, top_speed_mm_per_s = 1, distance_cm = 2,
            fastest_1km_ms = 3, fastest_5km_ms = 4, flag_count = 2, flagged_at = imported_at,
            reasons = '\(status == "rejected" ? "{uk,gps}" : "{}")'
          """)
        try await transaction.run("SELECT settled.set_clock('2031-06-03T13:00Z')")
        #expect(try await transaction.value(Outing.call(athlete, rest)) == id)
        try await transaction.expect(
          """
          (SELECT jsonb_build_array(name, elapsed_time, status, reasons, scored, flag_count, imported_at = settled.clock(),
            top_speed_mm_per_s, distance_cm, fastest_1km_ms, fastest_5km_ms) FROM racing.activity)
          """, is: #"["n2", 601, "pending", [], false, 2, true, null, null, null, null]"#)
      }
    }
  }

  /// One changed digit anywhere is other content, the streams included.
  static let smallChanges = [
    #"{"name": "m"}"#, #"{"activityType": "Canoeing"}"#, #"{"startDate": "2031-06-03T10:00:00.000001Z"}"#,
    #"{"elapsedTime": 600.0000001}"#, #"{"movingTime": 590.50001}"#, #"{"distance": 2000.250000000000001}"#,
    #"{"maxSpeed": null}"#, #"{"maxSpeed": 0}"#, #"{"startLocation": null}"#, #"{"polyline": null}"#,
    #"{"polyline": ""}"#, #"{"endLocation": {"latitude": 51.6, "longitude": 0.1}}"#, #"{"streams": null}"#,
    #"{"streams": {"time": [0, 1, 2.5], "distance": [0, 3, 3.0000000000000001]}}"#,
    #"{"streams": {"time": [0, 1], "distance": [0, 3]}}"#,
  ]

  @Test func `the smallest change makes other content of an activity`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    try await course.session.run(Outing.call(athlete))
    try await course.session.run("UPDATE racing.activity SET status = 'verified', scored = true")
    for patch in ["{}"] + Self.smallChanges {
      try await course.session.transaction(commit: false) { transaction in
        try await transaction.run(Outing.call(athlete, patch))
        let status = try await transaction.value("SELECT status FROM racing.activity", as: String.self)
        #expect(status == (patch == "{}" ? "verified" : "pending"), "\(patch)")
      }
    }
  }

  @Test func `an activity imported again replaces its streams, and drops them when they are gone`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    let streams = "(SELECT jsonb_agg(jsonb_build_array(times, distances)) FROM racing.activity_stream)"
    try await session.run(Outing.call(athlete))
    try await session.expect(streams, is: "[[[0, 1000000000, 2500000000], [0, 3000000000, 3000000000]]]")
    try await session.run(Outing.call(athlete, #"{"streams": {"time": [7.0000000019], "distance": [1]}}"#))
    try await session.expect(streams, is: "[[[7000000001], [1000000000]]]")
    try await session.run(Outing.call(athlete, #"{"streams": {"time": [], "distance": []}}"#))
    try await session.expect("coalesce(\(streams), '[]')", is: "[]")
  }

  @Test func `an imported activity keeps its numbers as they were written`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    let patch = #"{"elapsedTime": 0.1000, "movingTime": 12345.678901234567890, "distance": 2000.10, "maxSpeed": 4.35}"#
    try await course.session.run(Outing.call(athlete, patch))
    try await course.session.expect(
      "(SELECT jsonb_build_array(elapsed_time, moving_time, distance, max_speed) FROM racing.activity)",
      is: "[0.1000, 12345.678901234567890, 2000.10, 4.35]")
  }

  /// A time finer than a microsecond is cut: rounding could carry a start into the next window.
  @Test func `an imported activity's instant is truncated, not rounded`() async throws {
    let course = try await Course(at: "2031-06-04T00:10:00Z")
    let athlete = try await course.athlete()
    try await course.session.run(Outing.call(athlete, #"{"startDate": "2031-06-03T23:59:59.9999999Z"}"#))
    let isBefore = "SELECT started_at = '2031-06-03T23:59:59.999999Z' FROM racing.activity"
    #expect(try await course.session.value(isBefore, as: Bool.self))
  }
}
