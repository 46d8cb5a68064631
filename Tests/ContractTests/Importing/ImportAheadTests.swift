import Postgres
import TestSupport
import Testing

@Suite("An activity of the future") struct ImportAheadTests {
  /// The clock stands at noon, and the activity lasts ten minutes.
  static let starts: [(start: String, outcome: String)] = [
    ("2031-06-03T12:00:00Z", "ok"), ("2031-06-03T11:59:59.999999Z", "ok"),
    ("2031-06-03T12:00:00.000001Z", "SD400 start-date"), ("2031-06-03T12:10:01Z", "SD400 start-date"),
    ("2031-06-05T12:00:00Z", "SD400 start-date"), ("2037-01-01T00:00:00Z", "SD400 start-date"),
  ]

  @Test func `an activity that ends more than ten minutes ahead of the clock is refused`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    for (start, outcome) in Self.starts {
      let call = Outing.call(athlete, #"{"startDate": "\#(start)"}"#)
      #expect(try await course.session.tried(call) == outcome, "\(start)")
    }
    let long = Outing.call(athlete, #"{"elapsedTime": 7800.000001}"#)
    #expect(try await course.session.tried(long) == "SD400 start-date")
    #expect(try await course.session.tried(Outing.call(athlete, #"{"elapsedTime": 7800}"#)) == "ok")
    // What is refused now is taken later.
    try await course.setClock("2031-06-05T12:00:00Z")
    let later = Outing.call(athlete, #"{"startDate": "2031-06-05T12:00:00Z"}"#)
    #expect(try await course.session.tried(later) == "ok")
  }

  @Test func `an activity that is here is not moved ahead of the clock, and the same content answers as before`()
    async throws
  {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    try await course.session.run(Outing.call(athlete))
    let moved = Outing.call(athlete, #"{"startDate": "2031-06-04T10:00:00Z"}"#)
    #expect(try await course.session.tried(moved) == "SD400 start-date")
    // A former release took it.
    try await course.setClock("2031-06-05T12:00:00Z")
    try await course.session.run(moved)
    try await course.session.run("UPDATE settled.installation SET clock_base = '2031-06-03T12:00:00Z'")
    #expect(try await course.session.tried(moved) == "ok")
  }

  @Test func `the visibility of an activity is kept, and follows an import of the same content at any status`()
    async throws
  {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let session = course.session
    let athlete = try await course.athlete()
    let kept =
      "(SELECT jsonb_build_array(visibility, status, imported_at = '2031-06-03T12:00:00Z') FROM racing.activity)"
    try await session.run(Outing.call(athlete))
    try await session.expect(kept, is: #"["everyone", "pending", true]"#)
    try await course.setClock("2031-06-03T13:00:00Z")
    for status in ["pending", "under_review", "disqualified"] {
      try await session.run("UPDATE racing.activity SET status = '\(status)'")
      for (patch, visibility) in [
        (#"{"visibility": "only_me"}"#, "only_me"), ("{}", "only_me"), (#"{"visibility": null}"#, "only_me"),
        (#"{"visibility": "followers_only"}"#, "followers_only"), (#"{"visibility": "everyone"}"#, "everyone"),
      ] {
        try await session.run(Outing.call(athlete, patch))
        try await session.expect(kept, is: #"["\#(visibility)", "\#(status)", true]"#, "\(patch)")
      }
    }
    // New content that does not name it leaves it as it was.
    try await session.run("UPDATE racing.activity SET status = 'pending'")
    try await session.run(Outing.call(athlete, #"{"visibility": "only_me"}"#))
    try await session.run(Outing.call(athlete, #"{"name": "other"}"#))
    try await session.expect(kept, is: #"["only_me", "pending", false]"#)
  }

  @Test(arguments: [
    ("{}", "only_me"), (#"{"visibility": null}"#, "only_me"), (#"{"visibility": "friends"}"#, "only_me"),
    (#"{"visibility": "only_me"}"#, "only_me"), (#"{"visibility": "followers_only"}"#, "followers_only"),
    (#"{"visibility": "everyone"}"#, "everyone"),
  ])
  func `a fetched activity of unknown visibility is only its athlete's`(patch: String, kept: String)
    async throws
  {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    try await course.session.run(
      "SELECT racing.take_streams(\(athlete), '\(Outing.json)'::jsonb || '\(patch)'::jsonb)")
    try await course.session.expect("(SELECT to_jsonb(visibility) FROM racing.activity)", is: #""\#(kept)""#)
  }

  @Test func `a listed activity that ends ahead of the clock is wanted by a later listing`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let listed = [
      Outing.json, Outing.json(at: "2031-06-03T12:00:01Z").replacing("1001", with: "1002"),
      Outing.json(at: "tomorrow").replacing("1001", with: "1003"),
      Outing.json.replacing("1001", with: "1004").replacing(#""elapsedTime": 600"#, with: #""elapsedTime": 1e400"#),
    ]
    let athlete = try await course.athlete()
    let wanted = """
      (SELECT jsonb_agg(a -> 'stravaId' ORDER BY a -> 'stravaId')
        FROM jsonb_array_elements('[\(listed.joined(separator: ", "))]') AS a
        WHERE (racing.judge_summary(\(athlete), a, 0)).verdict <> 'pass')
      """
    // What no import would take is wanted before results, so that the import names what is wrong.
    try await course.session.expect(wanted, is: "[1001, 1003, 1004]")
    try await course.setClock("2031-06-03T12:00:01Z")
    try await course.session.expect(wanted, is: "[1001, 1002, 1003, 1004]")
  }
}
