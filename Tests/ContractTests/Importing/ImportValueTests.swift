import Postgres
import TestSupport
import Testing

@Suite("An activity whose content is wrong") struct ImportValueTests {
  /// For each key, what it refuses; the rule is the key in kebab-case.
  static let refused: [(rule: String, key: String, values: [String])] = [
    (
      "strava-id", "stravaId",
      ["null", "0", "-1", "1.5", #""5""#, "9223372036854775808", "1e400", "1e-400", "[]", "{}", "true"]
    ),
    ("name", "name", ["null", "5", "[]", "{}", "true"]),
    ("activity-type", "activityType", ["null", "5", "[]", "{}", "false"]),
    ("start-date", "startDate", ["null", "5", "[]", "{}", "true"] + instants.map { #""\#($0)""# }),
    (
      "elapsed-time", "elapsedTime",
      ["null", "0", "0.0", "-1", #""600""#, "1e9", "1e400", "1e131000", "true", "[]", "{}"]
    ),
    ("moving-time", "movingTime", ["null", "-0.1", "100000000.1", #""5""#, "1e400", "[]", "{}", "false"]),
    ("distance", "distance", ["null", "-1", "-1e-9", "1e30", "[1]", #""5""#, "{}", "true"]),
    ("max-speed", "maxSpeed", ["-1", "100000.5", #""x""#, "1e400", "[]", "{}", "true"]),
    ("start-location", "startLocation", locations),
    ("end-location", "endLocation", locations),
    ("polyline", "polyline", ["5", "[]", "{}", "true"]),
    ("streams", "streams", ["5", "[]", "{}", "true", #""x""#] + streams),
    ("visibility", "visibility", ["5", "[]", "{}", "true", #""""#, #""Everyone""#, #""only_me ""#, #""private""#]),
    ("flagged", "flagged", ["0", "1", "[]", "{}", #""true""#, #""""#]),
  ]

  static let instants = [
    "", "now", "infinity", "-infinity", "2031-06-10T10:00:00", "2031-06-10", "2031-02-30T10:00:00Z",
    "2031-13-10T10:00:00Z", "2031-06-10T25:00:00Z", "2031-06-10T10:61:00Z", "2031-06-10T10:00:61Z",
    "2031-06-10T10:00:00+99:00", "2031-06-10T10:00:00+16:00", "2031-06-10T10:00:00+01:75", "0000-01-01T00:00:00Z",
    "1899-12-31T23:59:59Z", "2200-01-02T00:00:00Z", "9999-01-02T00:00:00Z", #"2031-06-10T10:00:00Z\n"#,
    " 2031-06-10T10:00:00Z", "2031-06-10T10:00:00 Europe/London", "٢٠٣١-06-10T10:00:00Z", "2031-06-10T10:00:00.Z",
  ]

  static let locations = [
    "5", "[1, 2]", "false", #""x""#, "{}", #"{"latitude": 1}"#, #"{"latitude": null, "longitude": null}"#,
    #"{"latitude": 91, "longitude": 0}"#, #"{"latitude": -90.1, "longitude": 0}"#,
    #"{"latitude": 0, "longitude": 180.1}"#, #"{"latitude": "0", "longitude": 0}"#,
    #"{"latitude": 1e400, "longitude": 0}"#,
  ]

  /// Lengths, order, and what is no number; what differs by less than a billionth does not rise.
  static let streams = [
    #"{"time": [0]}"#, #"{"time": [0], "distance": null}"#, #"{"time": [0], "distance": [0, 1]}"#,
    #"{"time": [0, 0], "distance": [0, 1]}"#, #"{"time": [1, 0], "distance": [0, 1]}"#,
    #"{"time": [0, 1], "distance": [1, 0]}"#, #"{"time": [-1, 1], "distance": [1, 2]}"#,
    #"{"time": [0, 1], "distance": [-1, 2]}"#, #"{"time": [0, null], "distance": [1, 2]}"#,
    #"{"time": [null, 1], "distance": [1, 2]}"#, #"{"time": [0, "1"], "distance": [1, 2]}"#,
    #"{"time": [0, 1], "distance": [1, [2]]}"#, #"{"time": [0, 1e400], "distance": [1, 2]}"#,
    #"{"time": [0, 1], "distance": [1, 1e131000]}"#, #"{"time": [0, 1e-16000], "distance": [1, 2]}"#,
    #"{"time": {"0": 1}, "distance": [1]}"#, #"{"time": [1e-10, 2e-10], "distance": [1, 2]}"#,
    #"{"time": [0, 1], "distance": [2e-10, 1e-10]}"#,
  ]

  @Test func `a refused activity's error names the key`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    for (rule, key, values) in Self.refused {
      for value in values {
        let ended = try await course.session.tried(Outing.call(athlete, #"{"\#(key)": \#(value)}"#))
        #expect(ended == "SD400 \(rule)", "\(key): \(value)")
      }
    }
  }

  @Test func `a missing key of an activity is named, and optional ones may be absent or null`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    let required = Self.refused.filter { !Self.optional.contains($0.key) }
    #expect(required.count == 7)
    for (rule, key, _) in required {
      let call = "SELECT racing.import_activity(\(athlete), '\(Outing.json)'::jsonb - '\(key)')"
      #expect(try await course.session.tried(call) == "SD400 \(rule)", "\(key)")
    }
    let absent =
      "SELECT racing.import_activity(\(athlete), '\(Outing.json)'::jsonb - '{\(Self.optional.joined(separator: ","))}'::text[])"
    try await course.session.run(absent)
    // Absent and null are the same content: the second import changes nothing.
    try await course.setClock("2031-06-03T13:00:00Z")
    let nulls = Self.optional.map { #""\#($0)": null"# }.joined(separator: ", ")
    try await course.session.run(Outing.call(athlete, "{\(nulls)}"))
    #expect(
      try await course.session.value("SELECT count(*) FROM racing.activity WHERE imported_at < settled.clock()") == 1)
  }

  static let optional = ["maxSpeed", "startLocation", "endLocation", "polyline", "streams", "visibility", "flagged"]

  @Test func `an activity with an unknown key is refused for that key`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    for patch in [
      #"{"foo": 1}"#,
      #"{"stravaid": null}"#,
      #"{"startLocation": {"latitude": 0, "longitude": 0, "x": 1}}"#,
      #"{"endLocation": {"latitude": 0, "longitude": 0, "altitude": 1}}"#,
      #"{"streams": {"time": [0, 1], "distance": [1, 2], "watts": [1, 2]}}"#,
    ] {
      #expect(try await course.session.tried(Outing.call(athlete, patch)) == "SD400 key", "\(patch)")
    }
  }

  /// A value is allowed at a limit and refused past it.
  static let limits: [(patch: String, outcome: String)] = [
    ("jsonb_build_object('name', repeat('é', 10000))", "ok"),
    ("jsonb_build_object('name', repeat('é', 10001))", "SD400 name"),
    ("jsonb_build_object('activityType', repeat('x', 10001))", "SD400 activity-type"),
    ("jsonb_build_object('polyline', repeat('x', 1000000))", "ok"),
    ("jsonb_build_object('polyline', repeat('x', 1000001))", "SD400 polyline"),
    ("jsonb_build_object('startDate', repeat('x', 1000001))", "SD400 start-date"),
    ("jsonb_build_object(repeat('x', 1000001), 1)", "SD400 key"),
    (
      "jsonb_build_object('streams', jsonb_build_object('time', \(points(200_000)), 'distance', \(points(200_000))))",
      "ok"
    ),
    (
      "jsonb_build_object('streams', jsonb_build_object('time', \(points(200_001)), 'distance', \(points(200_001))))",
      "SD400 streams"
    ),
    ("'{\"stravaId\": 9223372036854775807, \"name\": \"\", \"polyline\": \"\"}'::jsonb", "ok"),
    ("'{\"streams\": {\"time\": [], \"distance\": []}}'::jsonb", "ok"),
    (
      "'{\"startDate\": \"2020-01-01T00:00:00Z\", \"elapsedTime\": 100000000, \"movingTime\": 0, \"distance\": 100000000, \"maxSpeed\": 100000}'::jsonb",
      "ok"
    ),
    ("'{\"startLocation\": {\"latitude\": -90, \"longitude\": 180}}'::jsonb", "ok"),
    (
      "'{\"distance\": 1e-16000, \"elapsedTime\": 1e-16, \"startLocation\": {\"latitude\": 1e-400, \"longitude\": 0}}'::jsonb",
      "ok"
    ),
    // Of the whole, before anything of it is read.
    ("jsonb_build_object('name', repeat('x', 16000000))", "SD400 name"),
    ("jsonb_build_object('name', repeat('x', 17000000))", "SD400 activity"),
  ]

  @Test func `an activity's value is refused past its limit and accepted at it`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    for (patch, expected) in Self.limits {
      #expect(try await course.session.tried(Outing.call(athlete, computed: patch)) == expected, "\(patch)")
    }
  }

  private static func points(_ count: Int) -> String {
    "(SELECT jsonb_agg(g) FROM generate_series(1, \(count)) g)"
  }

  @Test func `an activity's content is checked before the athlete is looked up`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let spectator = try await course.session.value("SELECT racing.create_athlete('S', user_type => 'spectator')")
    for (call, expected) in [
      (Outing.call(-1), "SD404 athlete"), (Outing.call(spectator), "SD403 spectator"),
      (Outing.call(-1, #"{"name": 1}"#), "SD400 name"), (Outing.call(spectator, #"{"name": 1}"#), "SD400 name"),
    ] {
      #expect(try await course.session.tried(call) == expected)
    }
  }
}
