import DaemonSupport
import Postgres
import TestSupport
import Testing

/// What the provider says of an activity beside its measurements.
@Suite("An import of private and flagged activities", .timeLimit(.minutes(4))) struct ImportedPrivacyTests {
  /// In the provider's JSON, and who may see it here.
  static let listed: [(changed: [String: String], kept: String)] = [
    (["visibility": #""everyone""#, "private": "false"], "everyone"), (["visibility": #""everyone""#], "everyone"),
    (["visibility": #""followers_only""#, "private": "false"], "followers_only"),
    (["visibility": #""only_me""#, "private": "true"], "only_me"),
    (["visibility": #""everyone""#, "private": "true"], "only_me"),
    (["private": "false"], "only_me"), ([:], "only_me"), (["visibility": #""friends""#], "only_me"),
    (["visibility": "null"], "only_me"), (["visibility": "7", "private": #""no""#], "only_me"),
  ]

  @Test func `an imported activity keeps who may see it, and what is unknown is only its athlete's`() async throws {
    let it = try await ImportWorld(1)
    let athlete = it.athletes[0]
    let items = Self.listed.enumerated().map { ImportWorld.summary(Int64($0 + 1), at: "14:00:\($0 + 10)", $1.changed) }
    try await it.world.provider.plant(1000 + athlete, activities: "[\(items.joined(separator: ","))]")
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    let kept = try await it.world.owner.query("SELECT visibility FROM racing.activity ORDER BY strava_id")
      .decode(String.self)
    #expect(kept == Self.listed.map(\.kept))
    try await untilTrue("validation") {
      try await it.world.number("SELECT count(*) FROM racing.activity WHERE status = 'verified'") == 10
    }
    let shown = try await it.world.number("SELECT jsonb_array_length(gateway.racepace_activities())::bigint")
    #expect(shown == 2)
    let own = try await it.world.number(
      "SELECT jsonb_array_length(gateway.racepace_own_activities(\(athlete)))::bigint")
    #expect(own == 10)
    // They count all the same.
    try await it.settle()
    #expect(try await it.course.payouts(it.race).count == 1)
    try await it.node.stop()
  }

  @Test func `an imported activity that the provider has flagged, or that is too fast, is reviewed first`()
    async throws
  {
    let it = try await ImportWorld(3, type: "top_speed")
    let changes = [["flagged": "true"], ["flagged": "false", "max_speed": "21.5"], ["flagged": "null"]]
    for (athlete, changed) in zip(it.athletes, changes) {
      try await it.world.provider.plant(
        1000 + athlete, activities: "[\(ImportWorld.summary(athlete, at: "14:00:00", changed))]")
    }
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    try await untilTrue("validation") {
      try await it.world.number("SELECT count(*) FROM racing.activity WHERE status <> 'pending'") == 3
    }
    let judged = try await it.world.owner.query(
      """
      SELECT a.status || coalesce(' ' || r.reasons::text, '') FROM racing.activity AS a
      LEFT JOIN racing.review AS r ON r.activity_id = a.id ORDER BY a.strava_id
      """
    ).decode(String.self)
    #expect(judged == ["under_review {provider_flag}", "under_review {implausible}", "verified"])
    try await it.world.setClock(ImportWorld.due)
    try await untilTrue("the race waits") {
      try await it.world.number("SELECT cardinality(waiting_activities)::bigint FROM racing.race WHERE id = \(it.race)")
        == 2
    }
    try await it.node.stop()
  }

  @Test func `a listed activity that ends ahead of the clock is imported by a later listing`() async throws {
    let it = try await ImportWorld(1)
    // It ends at 16:20:01, and the first listing is made at 16:00.
    let ahead = ImportWorld.summary(7, at: "15:20:01", ["elapsed_time": "3600", "visibility": #""everyone""#])
    try await it.world.provider.plant(
      1000 + it.athletes[0], activities: "[\(ahead), \(ImportWorld.summary(8))]",
      streams: "{\"7\": \(ImportWorld.streams)}")
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    #expect(try await it.here() == [8])
    try await it.world.setClock(ImportWorld.until - 900)
    try await untilTrue("the later one") { try await it.here() == [7, 8] }
    try await it.settle()
    try await it.node.stop()
  }
}
