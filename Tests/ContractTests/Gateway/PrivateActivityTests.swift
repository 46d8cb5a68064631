import Postgres
import TestSupport
import Testing

@Suite("Activities that not everyone may see") struct PrivateActivityTests {
  /// Ann's three activities, one of each visibility, and Bob's one; all are verified and count.
  private static func course() async throws -> Course {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let race = try await course.race()
    for name in ["Ann", "Bob"] { _ = try await course.enter(course.athlete(name), race) }
    for (index, word) in ["only_me", "followers_only", "everyone"].enumerated() {
      _ = try await course.outing(
        1, stravaId: Int64(index + 1), maxSpeed: "\(6 - index)", more: ["visibility": #""\#(word)""#])
    }
    _ = try await course.outing(2, stravaId: 4, maxSpeed: "3")
    try await course.session.run(
      "UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = max_speed * 1000")
    return course
  }

  private func ids(_ list: String, _ course: Course) async throws -> [Int64] {
    try await course.session.value(
      "SELECT coalesce(array_agg((a ->> 'id')::bigint ORDER BY n), '{}') FROM jsonb_array_elements(\(list)) WITH ORDINALITY AS l (a, n)",
      as: [Int64].self)
  }

  @Test func `lists of others have only what everyone may see, and every activity counts`() async throws {
    let course = try await Self.course()
    for feed in ["gateway.racepace_activities()", "gateway.racepace_activities(2)", "racing.activities()"] {
      #expect(try await ids(feed, course) == [4, 3], "\(feed)")
    }
    #expect(try await ids("gateway.racepace_activities(1)", course) == [4, 3], "the list is the public one")
    #expect(try await ids("gateway.racepace_activities(before => 4, max => 1)", course) == [3])
    #expect(try await ids("gateway.racepace_own_activities(1)", course) == [3, 2, 1])
    #expect(try await ids("racing.activities(1)", course) == [3, 2, 1])
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_own_activities(1), '$[*].visibility')",
      is: #"["everyone", "followers_only", "only_me"]"#)
    try await course.session.expect(
      "to_jsonb(gateway.racepace_activities()::text LIKE '%visibility%')", is: "false")
    // The private one wins, and its number is there to flag it by.
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_leaderboard(1), '$.entries[*].activityId')", is: #"["1", "4"]"#)
    #expect(
      try await course.session.tried(#"SELECT gateway.racepace_flag(2, 1, '{"reason": "other"}')"#) == "ok")
  }

  @Test func `others see scores and names alone where activities are not shown`() async throws {
    let course = try await Self.course()
    try await course.session.run("SELECT settled.set('racing.show_activities', 'off')")
    for (feed, shown) in [
      ("gateway.racepace_activities()", []), ("gateway.racepace_activities(1)", [3]),
      ("gateway.racepace_activities(2)", [4]), ("racing.activities()", []), ("racing.activities(1)", [3, 2, 1]),
      ("gateway.racepace_own_activities(1)", [3, 2, 1]),
    ] as [(String, [Int64])] { #expect(try await ids(feed, course) == shown, "\(feed)") }
    let line = { (rank: Int, name: String, score: Int) in
      #"{"rank": \#(rank), "entryId": \#(rank), "athleteId": \#(rank), "displayName": "\#(name)", "score": \#(score), "activityId": null}"#
    }
    let entries = "[\(line(1, "Ann", 6000)), \(line(2, "Bob", 3000))]"
    try await course.session.expect("racing.leaderboard(1) -> 'entries'", is: entries)
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_leaderboard(1), '$.entries[*].activityId')", is: "[null, null]")
    // One's own entry still names it; a settled board does not.
    try await course.session.expect("gateway.racepace_entry(1, 1) -> 'activityId'", is: #""1""#)
    try await course.session.script(
      """
      UPDATE racing.entry SET status = 'completed', rank = id, score = 1, activity_id = id;
      UPDATE racing.race SET status = 'settled';
      """)
    try await course.session.expect(
      "jsonb_path_query_array(racing.leaderboard(1), '$.entries[*].activityId')", is: "[null, null]")
  }

  /// However many private activities lie above it.
  @Test func `a page of the public list is read by an index of what everyone may see`() async throws {
    let course = try await Self.course()
    try await course.session.script("SET enable_seqscan = off; SET enable_sort = off")
    let plan = try await course.session.query(
      """
      EXPLAIN (COSTS off) SELECT a.id FROM racing.activity AS a
      WHERE a.status = 'verified' AND a.visibility = 'everyone' AND a.activity_type IN ('Canoeing', 'Kayaking')
      ORDER BY a.id DESC LIMIT 50
      """
    ).decode(String.self)
    let isIndexed = plan.contains { $0.contains("activity_public") }
    #expect(isIndexed, "\(plan)")
  }

  @Test func `a reviewer's list has reasons in the app's words and the exact ones`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    _ = try await course.enter(athlete, course.race())
    _ = try await course.outing(athlete, stravaId: 1, maxSpeed: "21.5", more: ["flagged": "true"])
    _ = try await course.athlete("Bob")
    try await course.session.run(
      "UPDATE racing.activity SET status = 'verified', scored = true, top_speed_mm_per_s = 21500")
    try await course.session.run(#"SELECT gateway.racepace_flag(2, 1, '{"reason": "impossibleRoute"}')"#)
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_flagged(), '$[0].reasons[*]')",
      is: #"["impossible_route", "other", "suspicious_speed"]"#)
    try await course.session.expect(
      "jsonb_path_query_array(gateway.racepace_flagged(), '$[0].exactReasons[*]')",
      is: #"["implausible", "impossible_route", "provider_flag"]"#)
  }
}
