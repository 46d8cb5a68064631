import ControlAPI
import DaemonSupport
import Operations
import Postgres
import TestSupport
import Testing

/// A connection from its code to its end, with a provider that behaves.
@Suite("A connection", .timeLimit(.minutes(3))) struct ConnectionTests {
  @Test func `a connection is active once its code was exchanged, and only its token is readable`()
    async throws
  {
    let world = try await World()
    let node = try world.node()
    let athlete = try await world.connect()[0]
    try await world.until(athlete, is: "active")
    let theirs = try await world.provider.tokens(1000 + athlete)
    #expect(try await world.token(athlete) == theirs.accessToken)
    let shown = try await world.app.query("SELECT strava.access_token(\(athlete))").one(JSON.self)
    #expect(
      shown.text == """
        {"status": "active", "expiresAt": "2031-03-05T18:00:00.000Z", "accessToken": "\(theirs.accessToken)", \
        "missingScopes": [], "stravaAthleteId": \(1000 + athlete)}
        """)
    #expect(try await world.number("SELECT count(*) FROM strava.secret WHERE key_id IS NULL OR kind = 'code'") == 0)
    try await untilTrue("the event") {
      try await world.events() == ["strava.connected {\"athleteId\": \(athlete), \"missingScopes\": []}"]
    }
    try await node.stop()
  }

  @Test func `a connection is refreshed before its token ends, and the old refresh token is not reused`()
    async throws
  {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.connect(5)
    for athlete in athletes { try await world.until(athlete, is: "active") }
    // An hour and a second before the end nobody is due; ten minutes before it everybody is.
    try await world.setClock(World.start + 5 * World.hour - 1)
    try await node.untilPolled()
    try await node.untilPolled()
    #expect(try await world.provider.report().refreshes == 0)
    try await world.setClock(World.start + 6 * World.hour - 600)
    for athlete in athletes {
      try await untilTrue("the second token") { try await world.generation(athlete) == 2 }
      #expect(try await world.token(athlete) == world.provider.tokens(1000 + athlete).accessToken)
    }
    let report = try await world.provider.report()
    #expect(report.refreshes == 5 && report.rotations == 5 && report.refusedGrants == 0)
    try await node.stop()
  }

  @Test func `a grant that ends at the provider needs a new connection, and is reported once`() async throws {
    let world = try await World()
    let node = try world.node()
    let athlete = try await world.connect()[0]
    try await world.until(athlete, is: "active")
    try await world.provider.forget(1000 + athlete)
    try await world.setClock(World.start + 6 * World.hour - 600)
    try await world.until(athlete, is: "needs_reauth grant")
    #expect(try await world.token(athlete) == nil)
    try await untilTrue("the event") {
      try await world.events().last
        == "strava.needs_reauth {\"reason\": \"grant\", \"athleteId\": \(athlete)}"
    }
    // Connecting again makes it whole, but not within a minute: each code costs a call of everybody's.
    try await world.connect(athlete, as: 1000 + athlete)
    try await node.untilPolled()
    try await world.advance(by: 59)
    try await node.untilPolled()
    #expect(try await world.provider.report().exchanges == 1)
    try await world.advance(by: 1)
    try await world.until(athlete, is: "active")
    #expect(try await world.token(athlete) == world.provider.tokens(1000 + athlete).accessToken)
    #expect(try await world.provider.report().refusedGrants == 1)
    try await node.stop()
  }

  @Test func `a connection whose code is refused needs another code`() async throws {
    let world = try await World()
    let node = try world.node()
    let athlete = try await world.app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    try await world.app.execute("SELECT racing.connect_strava(\(athlete), 'ac_wrong', 'read')")
    try await untilTrue("one refusal") { try await world.provider.report().refusedGrants == 1 }
    try await untilTrue("its record") { try await world.number("SELECT count(*) FROM settled.lease") == 0 }
    try await node.untilPolled()
    #expect(try await world.status(athlete) == "connecting")
    try await world.advance(by: 6)
    try await world.until(athlete, is: "needs_reauth code")
    #expect(try await world.number("SELECT count(*) FROM strava.secret") == 0)
    #expect(try await world.provider.report().refusedGrants == 2)
    try await node.stop()
  }

  @Test func `a fresh code that is refused once is tried again seconds later`() async throws {
    let world = try await World()
    try await world.provider.configure(ProviderSettings(isLateWithCodes: true))
    let node = try world.node()
    let athlete = try await world.connect()[0]
    try await untilTrue("one refusal") { try await world.provider.report().refusedGrants == 1 }
    try await untilTrue("its record") { try await world.number("SELECT count(*) FROM settled.lease") == 0 }
    try await world.advance(by: 1)
    try await node.untilPolled()
    #expect(try await world.status(athlete) == "connecting")
    try await world.advance(by: 5)
    try await world.until(athlete, is: "active")
    #expect(try await world.events().filter { $0.contains("needs_reauth") } == [])
    try await node.stop()
  }

  /// A code is taken where its exchange is at most five minutes away; otherwise the refusal has the rest of the pause.
  @Test func `each refused code doubles the pause before the next one, and a good one ends the pauses`() async throws {
    let world = try await World()
    let athlete = try await world.app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    try await world.app.execute("SELECT racing.connect_strava(\(athlete), 'ac_1', 'read')")
    var pauses: [Int64] = []
    for attempt in 1...12 as ClosedRange<Int64> {
      // The first code has a second try.
      for _ in 0..<(attempt == 1 ? 2 : 1) {
        _ = try await world.owner.query("SELECT strava.refuse(\(athlete), 0, \(attempt))")
      }
      try await world.advance(by: 60)
      let former = try await world.owner.query("SELECT c::text FROM strava.connection AS c").one(String.self)
      let wait = "extract(epoch FROM greatest(next_call_at - settled.clock(), '0'))::bigint"
      do {
        try await world.app.execute("SELECT racing.connect_strava(\(athlete), 'ac_2', 'read')")
        pauses.append(try await world.number("SELECT 60 + \(raw: wait) FROM strava.connection"))
        #expect(pauses.last.map { $0 <= 360 } == true)
      } catch let error as PostgresError {
        let rest = error.detail?.firstMatch(of: /"retryAfter": (\d+)/).flatMap { Int64($0.1) } ?? 0
        pauses.append(60 + rest)
        #expect(rest > 300)
        #expect(
          try await world.owner.query("SELECT c::text FROM strava.connection AS c").one(String.self) == former)
        try await world.advance(by: rest)
        try await world.app.execute("SELECT racing.connect_strava(\(athlete), 'ac_2', 'read')")
      }
    }
    #expect(pauses == [60, 120, 240, 480, 960, 1920, 3840, 7680, 15360, 21600, 21600, 21600])
    try await world.connect(athlete, as: 1000 + athlete)
    try await world.owner.execute("UPDATE strava.connection SET next_call_at = settled.clock()")
    let node = try world.node()
    try await world.until(athlete, is: "active")
    #expect(try await world.number("SELECT refused_codes FROM strava.connection WHERE code_refused_at IS NULL") == 0)
    try await node.stop()
  }

  @Test func `codes of athletes without a refused one are exchanged first`() async throws {
    let world = try await World()
    var athletes: [Int64] = []
    for index in 0..<12 {
      let athlete = try await world.app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
      try await world.connect(athlete, as: 1000 + athlete)
      athletes.append(athlete)
      guard index < 11 else { continue }
      try await world.owner.execute("UPDATE strava.connection SET refused_codes = 1 WHERE athlete_id = \(athlete)")
    }
    // All are sealed, and due at one instant; one exchange is left.
    try await world.set("strava.limit_15min", "2")
    try await world.provider.configure(ProviderSettings(limits: .init(2, 2000)))
    try await world.owner.execute("UPDATE strava.connection SET next_call_at = settled.clock() + interval '1 hour'")
    let node = try world.node()
    try await untilTrue("sealed codes") {
      try await world.number("SELECT count(*) FROM strava.secret WHERE key_id IS NOT NULL") == 12
    }
    try await world.advance(by: 3600)
    try await world.until(athletes[11], is: "active")
    try await node.untilPolled()
    #expect(try await world.provider.report().exchanges == 1)
    try await node.stop()
  }

  @Test func `a code that waited for minutes is refused at once`() async throws {
    let world = try await World()
    let athlete = try await world.app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    try await world.app.execute("SELECT racing.connect_strava(\(athlete), 'ac_wrong', 'read')")
    try await world.advance(by: 130)
    let node = try world.node()
    try await world.until(athlete, is: "needs_reauth code")
    #expect(try await world.provider.report().refusedGrants == 1)
    try await node.stop()
  }

  @Test func `a connection that ends is revoked at the provider, and nothing is kept`() async throws {
    let world = try await World()
    let node = try world.node()
    let athletes = try await world.connect(2)
    for athlete in athletes { try await world.until(athlete, is: "active") }
    try await world.app.execute("SELECT racing.disconnect_strava(\(athletes[0]))")
    #expect(try await world.token(athletes[0]) == nil)
    let answer = try await node.ask(
      "strava.disconnect", ["id": .integer(athletes[1]), "reason": .text("they asked")])
    #expect(answer.contains("revoked"))
    try await untilTrue("nothing kept") { try await world.number("SELECT count(*) FROM strava.secret") == 0 }
    #expect(try await world.number("SELECT count(*) FROM strava.access") == 0)
    #expect(try await world.provider.report().revocations == 2)
    for athlete in athletes { #expect(try await !world.provider.tokens(1000 + athlete).alive) }
    #expect(try await world.number("SELECT count(provider_athlete_id) FROM strava.connection") == 0)
    try await node.stop()
  }

  @Test func `a connection with another athlete's account is refused, and takes nothing away`() async throws {
    let world = try await World()
    let node = try world.node()
    let athlete = try await world.connect()[0]
    try await world.until(athlete, is: "active")
    let second = try await world.app.query("SELECT racing.create_athlete('Bea')").one(Int64.self)
    try await world.connect(second, as: 1000 + athlete)
    try await world.until(second, is: "needs_reauth taken")
    // The provider has ended the first one's tokens with the exchange: the first one has the new ones.
    try await untilTrue("the new token") {
      try await world.token(athlete) == world.provider.tokens(1000 + athlete).accessToken
    }
    try await world.setClock(World.start + 6 * World.hour - 600)
    try await untilTrue("the next token") { try await world.generation(athlete) == 3 }
    #expect(try await world.status(athlete) == "active")
    // Once the first one has gone, the second may have it.
    try await world.app.execute("SELECT racing.disconnect_strava(\(athlete))")
    try await untilTrue("nothing kept of the first") { try await world.generation(athlete) == 0 }
    try await world.connect(second, as: 1000 + athlete)
    try await world.until(second, is: "active")
    try await node.stop()
  }
}
