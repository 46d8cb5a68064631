import DaemonSupport
import Postgres
import TestSupport
import Testing

@Suite("The budget of calls", .timeLimit(.minutes(10))) struct BudgetTests {
  @Test func `the call budget goes to athletes in running races first, then by the end of tokens`() async throws {
    let world = try await World()
    let node = try world.node()
    var athletes: [Int64] = []
    for number in 0..<6 {
      try await world.setClock(World.start + 60 * Int64(number))
      athletes += try await world.active(1)
    }
    let now = World.start + 6 * World.hour - 600
    let races = [(1, -9000, -60), (2, -60, 90_000), (4, 80_000, 90_000), (5, -60, 90_000)]
    for (place, start, end) in races {
      try await world.owner.execute(
        """
        SELECT strava.enter_race(\(athletes[place]), to_timestamp(\(Double(now + Int64(start)))),
          to_timestamp(\(Double(now + Int64(end)))))
        """)
    }
    // One call in each quarter of an hour.
    try await world.set("strava.limit_15min", "1")
    try await world.provider.configure(ProviderSettings(limits: .init(1, 2000)))
    var served: [Int] = []
    for quarter in 0..<6 {
      try await world.setClock(now + 900 * Int64(quarter))
      try await world.expectRefreshes(quarter + 1, [node])
      for place in athletes.indices where !served.contains(place) {
        if try await world.generation(athletes[place]) == 2 { served.append(place) }
      }
    }
    #expect(served == [2, 5, 0, 1, 3, 4])
    #expect(try await world.wasted() == 0)
    try await node.stop()
  }

  @Test(arguments: [1, 2])
  func `the call budget is never exceeded, and codes get what refreshes leave`(nodes count: Int) async throws {
    let world = try await World()
    let nodes = try (1...count).map { try world.node("n\($0)") }
    let athletes = try await world.active(20)
    // Eight calls in a quarter of an hour, of which two are kept.
    try await world.set("strava.limit_15min", "8")
    try await world.provider.configure(ProviderSettings(limits: .init(8, 2000)))
    try await world.makeDue(athletes)
    try await world.expectRefreshes(6, nodes)
    _ = try await world.active(2)
    #expect(try await world.provider.report().windows.used15 == 8)
    // A third one has to wait for the next quarter, in which a node's claim takes codes first. A second node may take
    // all six refreshes before that, because the code has the reserve.
    let late = try await world.connect()[0]
    try await world.expectRefreshes(6, nodes)
    #expect(try await world.status(late) == "connecting")
    try await world.advance(by: 900)
    try await world.until(late, is: "active")
    try await world.expectRefreshes(11...(10 + count), nodes)
    #expect(try await world.provider.report().windows.used15 <= 8)
    for (quarter, refreshes) in [(2, 17...(16 + count)), (3, 20...20)] {
      try await world.setClock(World.start + World.hour + 900 * Int64(quarter))
      try await world.expectRefreshes(refreshes, nodes)
    }
    #expect(try await world.wasted() == 0)
    for node in nodes { try await node.stop() }
  }

  @Test func `codes use at most half of the call budget, even those of an app that sends junk`()
    async throws
  {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(4)
    try await world.set("strava.limit_15min", "8")
    try await world.provider.configure(ProviderSettings(limits: .init(8, 2000)))
    try await world.makeDue([])
    // Twelve codes and four refreshes: four, two, and two are kept that no refresh may take.
    let late = try await world.connect(12)
    try await untilTrue("four codes") {
      try await world.number("SELECT count(*) FROM strava.connection WHERE status = 'active'") == 8
    }
    try await world.due(athletes)
    try await world.expectRefreshes(2, [node])
    #expect(try await world.provider.report().windows.used15 == 6)
    for quarter in 1...2 {
      try await world.setClock(World.start + World.hour + 900 * Int64(quarter))
      try await world.expectRefreshes(4, [node])
    }
    for athlete in late { try await world.until(athlete, is: "active") }
    #expect(try await world.wasted() == 0)
    try await node.stop()
  }

  @Test func `the call budget goes to the token that ends next, before any others due for longer`() async throws {
    let world = try await World()
    let node = try world.node()
    let athlete = try await world.active(1)[0]
    try await world.set("strava.limit_15min", "1")
    try await world.provider.configure(ProviderSettings(limits: .init(1, 2000)))
    try await world.makeDue([])
    try await world.owner.execute(
      """
      WITH others AS (
        INSERT INTO racing.athlete (display_name, user_type, created_at)
        SELECT 'n' || n, 'racer', settled.clock() FROM generate_series(1, 3000) AS n RETURNING id
      ), one AS (
        UPDATE strava.connection SET expires_at = settled.clock() + interval '9 minutes', next_call_at = settled.clock()
        WHERE athlete_id = \(athlete))
      INSERT INTO strava.connection (athlete_id, status, missing_scopes, changed_at, next_call_at, expires_at)
      SELECT id, 'active', '{}', settled.clock(), settled.clock() - interval '40 minutes',
        settled.clock() + interval '20 minutes' FROM others
      """)
    try await world.expectRefreshes(1, [node])
    try await untilTrue("the new token") { try await world.generation(athlete) == 2 }
    try await node.stop()
  }

  @Test func `the call budget follows the headers when they allow less than the setting`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(8)
    try await world.provider.configure(ProviderSettings(limits: .init(4, 2000)))
    try await world.makeDue([])
    _ = try await world.active(1)
    // Of four calls one is made, and one is kept.
    try await world.due(athletes)
    try await world.expectRefreshes(2, [node])
    #expect(try await node.window() == "3 of 4")
    #expect(try await world.wasted() == 0)
    try await node.stop()
  }

  @Test func `the call budget follows the headers when they allow more than the setting`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(12)
    try await world.set("strava.limit_15min", "4")
    try await world.makeDue(athletes)
    try await world.expectRefreshes(12, [node])
    #expect(try await node.window() == "12 of 200")
    try await node.stop()
  }

  @Test func `the call budget is spent at the first refusal, at any count`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(12)
    try await world.provider.configure(ProviderSettings(tooMany: true))
    let before = try await world.provider.report().calls
    try await world.makeDue(athletes)
    try await untilTrue("a spent window") {
      try await node.window() == "200 of 200"
    }
    try await world.provider.configure(ProviderSettings(tooMany: false))
    // One after another: what began before the refusal came ends, and then there is none until the quarter is over.
    try await node.untilPolled()
    let calls = try await world.provider.report().calls
    #expect(calls - before <= 8)
    let late = try await world.connect()[0]
    for second in [60, 899] {
      try await world.setClock(World.start + World.hour + Int64(second))
      try await world.expectRefreshes(0, [node])
    }
    #expect(try await world.status(late) == "connecting")
    #expect(try await world.provider.report().calls == calls)
    try await world.setClock(World.start + World.hour + 900)
    try await world.expectRefreshes(12, [node])
    try await world.until(late, is: "active")
    #expect(try await world.number("SELECT count(*) FROM strava.connection WHERE status <> 'active'") == 0)
    try await node.stop()
  }

  @Test func `the call budget restarts at the full quarters of an hour`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.active(5)
    try await world.set("strava.limit_15min", "1")
    try await world.provider.configure(ProviderSettings(limits: .init(1, 2000)))
    // From 12:50 on: the window of that time ends at 13:00.
    try await world.setClock(World.start + 3000)
    try await world.due(athletes)
    for (second, count) in [
      (3000, 1), (3599, 1), (3600, 2), (4499, 2), (4500, 3), (5399, 3), (5400, 4), (6299, 4), (6300, 5),
    ] {
      try await world.setClock(World.start + Int64(second))
      try await world.expectRefreshes(count, [node])
    }
    #expect(try await world.wasted() == 0)
    try await node.stop()
  }

  @Test func `the call budget restarts at midnight UTC`() async throws {
    let world = try await World()
    let node = try world.node()
    try await world.provider.configure(ProviderSettings(limits: .init(200, 12)))
    let athletes = try await world.active(6)
    // Of twelve calls six are made, and three are kept.
    try await world.makeDue(athletes)
    try await world.expectRefreshes(3, [node])
    try await world.setClock(World.start + 12 * World.hour - 1)
    try await world.expectRefreshes(3, [node])
    try await world.setClock(World.start + 12 * World.hour)
    // Those of the day before are due again.
    try await world.expectRefreshes(9, [node])
    #expect(try await world.wasted() == 0)
    try await node.stop()
  }

  @Test func `a call budget that is too small is reported by doctor, and by health after an hour`()
    async throws
  {
    let world = try await World()
    // The provider's own words would win over the setting.
    try await world.provider.configure(ProviderSettings(sendsHeaders: false))
    let node = try world.node()
    _ = try await world.active(3)
    #expect(
      try await node.doctor("strava budget").finding
        == "3 connections need about 12 calls a day, and the provider allows 2000")
    try await world.set("strava.limit_day", "8")
    let text = "3 connections need about 12 calls a day, and the provider allows 8: the demand is 1.5 times the limit"
    #expect(try await node.doctor("strava budget").ok == false)
    #expect(try await node.doctor("strava budget").finding == text)
    #expect(try await world.troubles() == [])
    try await world.setClock(World.start + 7 * 60)
    try await untilTrue("the problem") { try await node.ask("status").contains(text) }
    #expect(try await world.troubles() == ["token-refresh budget: \(text)"])
    try await world.set("strava.limit_day", "12")
    #expect(try await node.doctor("strava budget").ok)
    try await world.setClock(World.start + World.hour + 7 * 60)
    try await untilTrue("no problem") { try await world.troubles() == [] }
    #expect(try await !node.ask("status").contains("token-refresh budget"))
    try await node.stop()
  }

  @Test func `reads that the next day's results need are compared with the limit by doctor, and then by health`()
    async throws
  {
    let it = try await ImportWorld(3)
    let text = "races ending within a day need about 9 reads, and the provider allows"
    #expect(try await it.node.doctor("strava reads").finding == "\(text) 1000 a day")
    try await it.world.set("strava.read_limit_day", "5")
    #expect(try await it.node.doctor("strava reads").ok == false)
    try await it.world.setClock(World.start + 7 * 60)
    try await untilTrue("the problem") { try await it.world.troubles() == ["activity-reads budget: \(text) 5 a day"] }
    // Nothing is listed while the switch is off.
    try await it.world.set("strava.import", "off")
    #expect(try await it.node.doctor("strava reads").finding.contains("need about 0 reads"))
    try await it.world.setClock(World.start + World.hour + 7 * 60)
    try await untilTrue("no problem") { try await it.world.troubles() == [] }
    try await it.node.stop()
  }
}
