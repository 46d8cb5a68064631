import DaemonSupport
import Engine
import Postgres
import TestSupport
import Testing

/// Faults of imports: they are a help, and a race waits for none.
@Suite("An import in trouble", .timeLimit(.minutes(4))) struct ImportTroubleTests {
  @Test func `an import is skipped when the provider is away until the end, and the race settles in time`()
    async throws
  {
    let it = try await ImportWorld(2)
    for athlete in it.athletes { try await it.plant(athlete, [athlete]) }
    try await it.world.provider.configure(ProviderSettings(away: true))
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await untilTrue("a failed read") {
      try await it.world.number(
        "SELECT coalesce(sum(count), 0)::bigint FROM strava.call_error WHERE class LIKE 'read-%'") > 0
    }
    try await it.world.setClock(ImportWorld.until)
    try await untilTrue("nothing is asked for any more") {
      try await it.world.endBackoff()
      return try await it.world.number("SELECT count(*) FROM strava.read_request") == 0
    }
    try await it.world.provider.configure(ProviderSettings(away: false))
    let before = try await it.world.provider.report().calls
    try await it.settle()
    #expect(try await it.world.provider.report().calls == before)
    #expect(try await it.here() == [])
    #expect(try await it.world.number("SELECT count(*) FROM strava.provider WHERE failures_in_row > 0") == 0)
    try await it.node.stop()
  }

  @Test func `an import without a read budget waits for the next window, and tokens are refreshed`()
    async throws
  {
    // The race ends at 17:50, when all tokens are due.
    let end = World.start + 5 * World.hour + 3000
    let it = try await ImportWorld(3, length: end - World.start - World.hour)
    try await it.world.owner.execute("SELECT settled.set('strava.read_limit_15min', '1')")
    try await it.world.provider.configure(ProviderSettings(readLimits: .init(1, 1000)))
    try await it.world.setClock(end)
    try await it.untilEnded()
    for athlete in it.athletes {
      try await untilTrue("the second token") { try await it.world.generation(athlete) == 2 }
    }
    try await untilTrue("one listing") { try await it.reads() == 1 }
    try await it.node.untilPolled()
    try await it.node.untilPolled()
    #expect(try await it.reads() == 1)
    let report = try await it.world.provider.report()
    #expect(report.limited == 0 && report.callsInSpentWindow == 0 && report.refreshes == 3)
    try await it.node.stop()
    // A new node does not wait until the old one would have asked again.
    try await it.world.setClock(end + 600)
    let second = try it.world.node("b")
    try await untilTrue("the next listing") { try await it.reads() == 2 }
    #expect(try await it.world.provider.report().limited == 0)
    try await second.stop()
  }

  @Test func `an import with a refused token waits for the next one without calls`() async throws {
    let it = try await ImportWorld(1)
    let athlete = it.athletes[0]
    try await it.plant(athlete, [7])
    try await it.world.provider.forget(1000 + athlete)
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await untilTrue("the refusal") {
      try await it.world.number("SELECT count(*) FROM strava.connection WHERE refused_expiry = expires_at") == 1
    }
    try await it.node.untilPolled()
    try await it.node.untilPolled()
    #expect(try await it.world.provider.report().byStatus["401"] == 1)
    #expect(try await it.world.number("SELECT count(*) FROM settled.failure WHERE job = 'activity-reads'") == 0)
    #expect(try await it.world.number("SELECT count(*) FROM strava.provider WHERE open_since IS NOT NULL") == 0)
    try await it.world.connect(athlete, as: 1000 + athlete)
    try await untilTrue("the import") { try await it.here() == [7] }
    try await it.node.stop()
  }

  @Test func `an import that brings garbage drops it, and stops nobody`() async throws {
    let it = try await ImportWorld(2)
    let good = ImportWorld.summary
    let items = [
      #"{"id": 1, "start_date": "2031-03-05T14:00:00Z"}"#,
      good(2, "14:00:00", ["distance": #""far""#]), good(3, "14:00:00", ["distance": "1e300"]),
      good(4, "14:00:00", ["start_latlng": #"{"x": []}"#]), good(5, "14:00:00", ["name": #""a\u0000b""#]),
      good(6, "14:00:00", ["moving_time": "null"]), good(-7, "14:00:00", [:]),
      // Readable, and refused.
      good(20, "14:00:00", ["distance": "1e20"]), good(21, "14:00:00", ["elapsed_time": "-3"]),
      good(22, "14:00:00", ["max_speed": "-1"]),
      // Good ones, with streams that are missing, wrong or half.
      good(30, "14:00:00", [:]), good(31, "14:00:01", ["start_latlng": "[]"]), good(32, "14:00:02", [:]),
      good(33, "14:00:03", [:]), good(34, "14:00:04", [:]),
    ]
    try await it.world.provider.plant(
      1000 + it.athletes[0], activities: "[\(items.joined(separator: ","))]",
      streams: """
        {"31": {"time": {"data": [1, 0]}, "distance": {"data": [0, 1]}}, "32": {"time": {"data": [0, 1]}},
         "33": {"time": {"data": ["x"]}, "distance": {"data": {}}}, "34": \(ImportWorld.streams)}
        """)
    try await it.plant(it.athletes[1], [40])
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await it.untilImported()
    #expect(try await it.here() == [30, 31, 32, 33, 34, 40])
    let withStreams = try await it.world.owner.query(
      "SELECT a.strava_id FROM racing.activity AS a JOIN racing.activity_stream AS s ON s.activity_id = a.id ORDER BY 1"
    ).decode(Int64.self)
    #expect(withStreams == [34, 40])
    #expect(try await it.reads() == 2 + 8 + 1)
    #expect(try await it.world.number("SELECT count(*) FROM settled.failure") == 0)
    var warnings: [String] = []
    try await it.node.stop()
    for await case .warning(let job, let key, let text) in it.node.all { warnings.append("\(job) \(key): \(text)") }
    let athlete = it.athletes[0]
    let refused = [(20, "distance"), (21, "elapsed-time"), (22, "max-speed")].map { id, rule in
      "activity-reads \(athlete) \(id): a fetched activity was refused (rule \(rule)) and discarded"
    }
    let unreadable =
      "activity-reads \(athlete): skipped 7 unreadable activities in the provider's list"
    #expect(warnings.filter { $0.hasPrefix("activity-") }.sorted() == ([unreadable] + refused).sorted())
  }

  @Test func `an import of ten thousand activities reads three pages, and skips streams that are late`()
    async throws
  {
    let it = try await ImportWorld(2)
    let many = (1...10_000).map { number in
      let second = 3600 + number % 7000
      let time = "1\(3 + second / 3600):\(Self.two(second / 60 % 60)):\(Self.two(second % 60))"
      return ImportWorld.summary(Int64(number), at: time)
    }
    try await it.world.provider.plant(1000 + it.athletes[0], activities: "[\(many.joined(separator: ","))]")
    try await it.plant(it.athletes[1], [20_000])
    try await it.world.setClock(ImportWorld.end)
    try await it.untilEnded()
    try await untilTrue("three pages") {
      try await it.world.number(
        """
        SELECT (SELECT count(*) FROM strava.read_request WHERE kind = 'streams')
          + (SELECT count(*) FROM racing.activity)
        """) == 301
    }
    try await it.world.setClock(ImportWorld.until)
    try await untilTrue("all are kept") { try await it.here().count == 301 }
    #expect(try await it.here().last == 20_000)
    #expect(try await it.reads() <= 100)
    #expect(try await it.world.provider.report().limited == 0)
    try await untilTrue("nothing is left over") {
      try await it.world.number(
        "SELECT count(*) FROM strava.read_request") == 0
    }
    try await it.node.stop()
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
