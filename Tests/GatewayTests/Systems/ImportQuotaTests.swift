import Postgres
import TestSupport
import Testing

@testable import Gateway

/// Source: Racing.docc/Activities.md, "Quotas of the gateway".
@Suite("Quotas of imports over HTTP", .timeLimit(.minutes(3))) struct ImportQuotaTests {
  /// Rates are no part of these tests.
  private static func run(
    at start: String = "2031-06-02T09:00:00Z", _ body: (SystemWorld) async throws -> Void
  ) async throws {
    try await SystemWorld.run(
      at: start,
      { configuration in
        configuration.limits.writesPerSecond = 1_000_000
        configuration.limits.writesBurst = 1_000_000
      }, body)
  }

  private static func activity(_ id: Int, name: String = "Out", track: Int = 0) -> String {
    """
    {"stravaId":\(id),"name":"\(name)","activityType":"Kayaking","startDate":"2031-01-01T09:00:00Z",
     "elapsedTime":600,"movingTime":590,"distance":2000.5,"polyline":"\(String(repeating: "x", count: track))"}
    """
  }

  private static func send(
    _ world: SystemWorld, _ token: String, _ body: String, key: String? = nil
  ) async throws -> Reply {
    try await world.call(
      "POST /activities", token: token, body: body, headers: key.map { ["Idempotency-Key: \($0)"] } ?? [])
  }

  private static let kept: Statement = "SELECT count(*) FROM racing.activity"

  @Test func `an athlete imports fifty activities a day through the gateway, and repetitions do not count`()
    async throws
  {
    try await Self.run { world in
      let (ann, bob) = (try await world.athlete("Ann"), try await world.athlete("Bob"))
      let token = try await world.token(athlete: ann)
      for id in 1...50 {
        let reply = try await Self.send(world, token, Self.activity(id), key: id == 50 ? "k" : nil)
        #expect(reply.status == 201, "\(id): \(reply)")
        if id == 7 { #expect(try await Self.send(world, token, Self.activity(7)).status == 201) }
      }
      // Midnight of London is at 23:00 UTC.
      for body in [Self.activity(51), Self.activity(7, name: "Renamed")] {
        let refused = try await Self.send(world, token, body)
        #expect(refused.status == 429 && refused["Retry-After"] == "50400", "\(refused)")
        #expect(refused.has(#""rule":"quota""#) && refused.has("at most 50 activities per day"), "\(refused)")
      }
      #expect(try await world.number(Self.kept) == 50)
      #expect(try await world.number("SELECT count(*) FROM racing.activity WHERE name = 'Renamed'") == 0)
      #expect(try await Self.send(world, token, Self.activity(7)).status == 201)
      #expect(try await Self.send(world, token, Self.activity(50), key: "k").status == 201)
      let other = try await Self.send(world, try await world.token(athlete: bob), Self.activity(52))
      #expect(other.status == 201, "\(other)")
      // An app vouches for what it imports, and the provider for what is fetched.
      _ = try await world.owner.query("SELECT racing.import_activity(\(ann), \(JSON(text: Self.activity(61))))")
      _ = try await world.owner.query("SELECT racing.keep_proved(\(ann), ARRAY[\(JSON(text: Self.activity(62)))])")
      #expect(try await world.number(Self.kept) == 53)
      try await world.clock("2031-06-02T23:00:00Z")
      #expect(try await Self.send(world, token, Self.activity(51)).status == 201)
    }
  }

  @Test func `imports that arrive together at the limit are counted exactly`() async throws {
    try await Self.run { world in
      _ = try await world.owner.query("SELECT settled.set('racing.imports_a_day', '5')")
      let token = try await world.token(athlete: try await world.athlete("Ann"))
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for id in 1...12 {
          group.addTask { try await Self.send(world, token, Self.activity(id)).status }
          // The same again at the same time is one import.
          if id == 1 { group.addTask { try await Self.send(world, token, Self.activity(id)).status } }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      let kept = try await world.number(Self.kept)
      #expect(kept == 5)
      #expect(try await world.number("SELECT imports FROM racing.import_day") == 5)
      #expect(statuses.allSatisfy { [201, 429].contains($0) })
      #expect([5, 6].contains(statuses.count { $0 == 201 }), "\(statuses)")
    }
  }

  @Test func `a day of imports is a date of the zone, also where its clocks change`() async throws {
    try await Self.run(at: "2031-03-01T00:00:00Z") { world in
      _ = try await world.owner.query("SELECT settled.set('racing.imports_a_day', '1')")
      let token = try await world.token(athlete: try await world.athlete("Ann"))
      var id = 0
      func send() async throws -> Reply {
        id += 1
        return try await Self.send(world, token, Self.activity(id))
      }
      for (instant, rest) in [
        ("2031-03-29T23:30:00Z", "1800"), ("2031-03-30T00:00:00Z", "82800"), ("2031-03-30T23:00:00Z", "86400"),
        ("2031-10-25T22:59:59.5Z", "1"), ("2031-10-25T23:00:00Z", "90000"), ("2031-10-27T00:00:00Z", "86400"),
      ] {
        try await world.clock(instant)
        let (first, second) = (try await send(), try await send())
        #expect(first.status == 201, "\(instant): \(first)")
        #expect(second.status == 429 && second["Retry-After"] == rest, "\(instant): \(second)")
      }
      // Another zone has another date.
      _ = try await world.owner.query("SELECT settled.set('racing.time_zone', 'Pacific/Auckland')")
      try await world.clock("2031-10-27T11:00:00Z")
      #expect(try await send().status == 201)
      let refused = try await send()
      #expect(refused.status == 429 && refused["Retry-After"] == "86400", "\(refused)")
    }
  }

  @Test func `the bytes of imports have a limit a day`() async throws {
    try await Self.run { world in
      _ = try await world.owner.query("SELECT settled.set('racing.import_bytes_a_day', '1000000')")
      let ann = try await world.athlete("Ann")
      let token = try await world.token(athlete: ann)
      // Blanks are bytes too.
      let large = Self.activity(1, track: 200_000) + String(repeating: " ", count: 200_000)
      #expect(try await Self.send(world, token, large).status == 201)
      #expect(try await world.number("SELECT bytes FROM racing.import_day") == Int64(large.utf8.count))
      for track in [400_001, 400_002] {
        // New content of one activity counts like another activity.
        let reply = try await Self.send(world, token, Self.activity(2, track: track))
        #expect(reply.status == (track == 400_001 ? 201 : 429), "\(reply)")
      }
      #expect(try await Self.send(world, token, Self.activity(3)).status == 201)
      let refused = try await Self.send(world, token, Self.activity(4, track: 400_000))
      #expect(
        refused.status == 429 && refused.has(#""rule":"quota""#) && refused.has("at most 1000000 bytes per day"),
        "\(refused)")
      // A gateway of the former release hands over no bytes.
      let former: Statement = "SELECT gateway.racepace_import(\(ann), \(JSON(text: Self.activity(4, track: 400_000))))"
      let error = await #expect(throws: PostgresError.self) { _ = try await world.owner.query(former) }
      #expect(error?.sqlState == "SD429")
    }
  }

  @Test func `claims count by their number and not by their bytes, and each is small`() async throws {
    try await Self.run { world in
      _ = try await world.owner.query(
        "SELECT settled.set('racing.proof', 'on'), settled.set('racing.imports_a_day', '20')")
      _ = try await world.owner.query("SELECT settled.set('racing.import_bytes_a_day', '1000000')")
      let ann = try await world.athlete("Ann")
      _ = try await world.owner.query("SELECT racing.connect_strava(\(ann), 'c', 'read,activity:read_all')")
      let token = try await world.token(athlete: ann)
      let size = Self.activity(1).utf8.count
      for (track, status) in [(65_536 - size, 201), (65_537 - size, 400)] {
        let reply = try await Self.send(world, token, Self.activity(1, track: track))
        #expect(reply.status == status, "\(track): \(reply)")
        if status == 400 { #expect(reply.has("at most 65536 bytes") && reply.has(#""rule":"body""#)) }
      }
      // More than a megabyte in all. A repetition does not count, a claim after a rejection does.
      for id in 2...19 { #expect(try await Self.send(world, token, Self.activity(id, track: 60_000)).status == 201) }
      #expect(try await Self.send(world, token, Self.activity(2)).status == 201)
      _ = try await world.owner.query("SELECT racing.take_activity(\(ann), 2, 'missing', NULL, 1, settled.clock())")
      #expect(try await Self.send(world, token, Self.activity(2)).status == 201)
      #expect(try await Self.send(world, token, Self.activity(20)).status == 429)
      #expect(try await world.number("SELECT count(*) FROM racing.claim") == 19)
      #expect(try await world.number("SELECT bytes FROM racing.import_day") == 0)
    }
  }

  @Test func `a refused import counts neither an activity nor its bytes`() async throws {
    try await Self.run { world in
      let token = try await world.token(athlete: try await world.athlete("Ann"))
      for body in [
        Self.activity(1).replacing("2000.5", with: "-1"), Self.activity(1).replacing(":1,", with: #":"x","#),
        Self.activity(1).replacing(":1,", with: ":1e30,"), Self.activity(1).replacing(":1,", with: ":1.5,"),
        Self.activity(1).replacing(":1,", with: ":{},"),
      ] {
        let refused = try await Self.send(world, token, body)
        #expect(refused.status == 400, "\(refused)")
      }
      #expect(try await world.number("SELECT count(*) FROM racing.import_day") == 0)
    }
  }
}
