import Postgres
import TestSupport
import Testing

@Suite("racing.races") struct RaceListTests {
  @Test func `racing.races filters by each key and by all together`() async throws {
    let course = try await Course()
    _ = try await course.race()
    _ = try await course.race(type: "fastest_1km", duration: "weekly", category: "men_u23")
    _ = try await course.race(type: "fastest_1km", duration: "daily", category: "junior_girls")
    try await course.session.run("UPDATE racing.race SET status = 'active' WHERE id = 2")
    let cases: [(filter: String, ids: String)] = [
      ("{}", "[1, 2, 3]"), (#"{"type": "fastest_1km"}"#, "[2, 3]"), (#"{"duration": "daily"}"#, "[1, 3]"),
      (#"{"category": "men_u23"}"#, "[2]"), (#"{"status": "upcoming"}"#, "[1, 3]"), (#"{"status": "settled"}"#, "[]"),
      (#"{"type": "fastest_1km", "duration": "daily", "category": null, "status": "upcoming"}"#, "[3]"),
    ]
    for (filter, ids) in cases {
      try await course.session.expect(Self.ids("'\(filter)'"), is: ids, "\(filter)")
    }
    try await course.session.expect(Self.ids("max => 2"), is: "[1, 2]")
    try await course.session.expect(Self.ids("after => 1, max => 1"), is: "[2]")
    try await course.session.expect(Self.ids("'{\"duration\": \"daily\"}', 1"), is: "[3]")
    try await course.session.expect(Self.ids("after => 3"), is: "[]")
  }

  @Test func `racing.races returns an empty list when nothing matches`() async throws {
    try await SettledDatabase.simulated().connect(.app).expect("racing.races()", is: "[]")
  }

  private static func ids(_ arguments: String) -> String {
    "(SELECT coalesce(jsonb_agg(r -> 'id'), '[]') FROM jsonb_array_elements(racing.races(\(arguments))) r)"
  }
}
