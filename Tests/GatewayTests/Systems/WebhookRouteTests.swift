import Postgres
import TestSupport
import Testing

@testable import Gateway

/// Attacks on the door of the provider's webhooks, over HTTP.
@Suite("The webhooks' door", .timeLimit(.minutes(2))) struct WebhookRouteTests {
  private static let secret = "uIY0TqPp5dRtV3vXK2yq0m9b7F1l4cGzNwHsJeA8DgM"
  private static let path = "/strava/webhook/\(secret)"

  /// An active connection of account 77, and a subscription with number 9.
  private static func run(
    _ change: (inout GatewayConfiguration) -> Void = { _ in }, _ body: (SystemWorld) async throws -> Void
  ) async throws {
    try await SystemWorld.run(change) { world in
      try await world.owner.script(
        """
        SELECT settled.set('racing.proof', 'on'), racing.create_athlete('Ann');
        SELECT racing.connect_strava(1, 'code', 'read,activity:read_all,profile:read_all');
        SELECT strava.keep_tokens(1, 0, 1, 77, 'key', '\\x00', 'at', settled.clock() + interval '6 hours',
          settled.clock() + interval '5 hours');
        SELECT strava.begin_subscription('https://x', sha256('\(secret)'), sha256('verify'));
        SELECT strava.confirm_subscription(sha256('\(secret)'), 9);
        """)
      try await body(world)
    }
  }

  private static func hint(_ id: Int, owner: Int = 77) -> String {
    """
    {"object_type":"activity","object_id":\(id),"aspect_type":"create","owner_id":\(owner),"subscription_id":9,
     "event_time":1938157200,"updates":{}}
    """
  }

  private static func hint(bytes: Int) -> String {
    let start = hint(1).dropLast(2) + #""x":""#
    return String(start) + String(repeating: "a", count: bytes - start.utf8.count - 3) + #""}}"#
  }

  /// The status of a hint that is sent again where the machine, busy with other tests, is too slow for it.
  private static func pushed(_ id: Int, to world: SystemWorld) async throws -> Int {
    for _ in 1...20 {
      let reply = try await world.call("POST \(path)", body: hint(id))
      if reply.status != 503 { return reply.status }
    }
    return 503
  }

  private static func rows(_ world: SystemWorld) async throws -> Int64 {
    try await world.owner.query("SELECT count(*) FROM strava.hint").one(Int64.self)
  }

  @Test func `a challenge comes back in JSON, and a wrong verify token is refused`() async throws {
    try await Self.run { world in
      let query = "hub.mode=subscribe&hub.challenge=15f7d1a91c1f40&hub.verify_token="
      let reply = try await world.call("GET \(Self.path)?\(query)verify")
      #expect(reply.status == 200 && reply.body == #"{"hub.challenge": "15f7d1a91c1f40"}"#)
      #expect(
        reply["Content-Type"] == "application/json" && reply["ETag"] == nil && reply["Cache-Control"] == "no-store")
      let wrong = try await world.call("GET \(Self.path)?\(query)guess")
      #expect(wrong.status == 403 && wrong.has(#""rule":"verify-token""#))
      #expect(try await world.call("GET \(Self.path)").status == 400)
      #expect(try await world.call("GET /v1\(Self.path)?\(query)verify").status == 404)
    }
  }

  @Test func `a guessed path is nothing, also one that differs in its last letter`() async throws {
    try await Self.run { world in
      for path in ["1", String(Self.secret.dropLast()) + "N", Self.secret.uppercased(), "%00", "x/y"] {
        let reply = try await world.patientCall("POST /strava/webhook/\(path)", body: Self.hint(1))
        #expect([400, 404].contains(reply.status), "\(path): \(reply)")
      }
      #expect(try await Self.rows(world) == 0)
    }
  }

  @Test func `a hint is kept once it is answered, and the log shows neither its path nor its body`() async throws {
    try await Self.run { world in
      #expect(try await Self.pushed(1, to: world) == 200)
      let reply = try await world.call("POST \(Self.path)", body: Self.hint(1))
      #expect(reply.status == 200 && reply.body == "{}")
      #expect(try await world.call("POST \(Self.path)", body: Self.hint(1)).status == 200)
      #expect(try await world.call("POST \(Self.path)", body: Self.hint(2, owner: 78)).status == 200)
      #expect(try await Self.rows(world) == 1)
      let log = world.log.lines.joined()
      #expect(log.contains("/strava/webhook/:secret") && !log.contains(Self.secret))
    }
  }

  @Test func `a hint of more than 16 kB, and one that is no JSON, is refused before the database`() async throws {
    try await Self.run { world in
      _ = try await Self.pushed(1, to: world)
      let largest = try await world.call("POST \(Self.path)", body: Self.hint(bytes: 16_384))
      #expect(largest.status == 200)
      #expect(try await world.call("POST \(Self.path)", body: Self.hint(bytes: 16_385)).status == 413)
      for bad in ["", "{", "[]", #"{"object_id":1,"object_id":2}"#] {
        #expect(try await world.call("POST \(Self.path)", body: bad).status == 400, "\(bad)")
      }
      #expect(try await Self.rows(world) == 1)
    }
  }

  @Test func `a flood of guesses and of writes does not keep the provider's hints out`() async throws {
    try await Self.run {
      $0.limits.writesPerSecond = 1
      $0.limits.writesBurst = 1
      $0.limits.attemptsPerMinute = 1
      // A busy machine: this is about limits, not about speed.
      ($0.limits.hint, $0.limits.request) = (.seconds(60), .seconds(60))
    } _: { world in
      #expect(try await Self.pushed(1, to: world) == 200)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<120 {
          group.addTask {
            let guess = try await world.call("POST /strava/webhook/guess\(number)", body: Self.hint(1))
            #expect(guess.status == 404)
          }
          if number < 40 {
            group.addTask {
              let status = try await Self.pushed(number + 1, to: world)
              #expect(status == 200)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await Self.rows(world) == 40)
    }
  }

  @Test func `a hint that the database is too slow for is 503, and can come again`() async throws {
    #expect(GatewayLimits().hint < .seconds(2))
    try await Self.run {
      $0.limits.hint = .seconds(5)
    } _: { world in
      #expect(try await Self.pushed(1, to: world) == 200)
      let neighbour = try await world.settled.connect()
      try await neighbour.transaction { transaction in
        try await transaction.execute("SELECT 1 FROM strava.connection FOR UPDATE")
        let reply = try await world.call("POST \(Self.path)", body: Self.hint(2))
        #expect(reply.status == 503 && reply["Retry-After"] == "1", "\(reply)")
        // Whoever does not know the path learns nothing of this.
        #expect(try await world.call("POST /strava/webhook/guess", body: Self.hint(2)).status == 404)
      }
      try await untilTrue("the hint that came again") {
        try await world.call("POST \(Self.path)", body: Self.hint(2)).status == 200
      }
      #expect(try await Self.rows(world) == 2)
      await neighbour.close()
    }
  }

  @Test func `a subscription that ends closes the door of a gateway that knew it`() async throws {
    try await Self.run { world in
      #expect(try await Self.pushed(1, to: world) == 200)
      try await world.owner.execute("SELECT strava.end_subscription(sha256(\(Self.secret)::text::bytea))")
      let reply = try await world.call("POST \(Self.path)", body: Self.hint(2))
      #expect(reply.status == 404 && reply.has(#""rule":"path""#))
    }
  }
}
