import Postgres
import TestSupport
import Testing

@testable import Gateway

/// Source: Seasons.docc/Points.md, "A runner's own earnings".
@Suite("A runner's own earnings over HTTP", .timeLimit(.minutes(2))) struct EarningQuotaTests {
  private static let earn = "POST /api/v1/points/earn"

  private static func body(_ type: String = "MEET_LOG", uuid: String? = nil) -> String {
    #"{"runnerId": 1, "activityType": "\#(type)"\#(uuid.map { #", "activityUuid": "\#($0)""# } ?? "")}"#
  }

  /// A coach, and runner 1, whose username is ann.
  private static func run(
    at start: String = "2031-09-01T10:00:00Z",
    _ body: (SystemWorld, _ coach: String, _ ann: String) async throws -> Void
  ) async throws {
    try await SystemWorld.run(
      at: start,
      { configuration in
        configuration.limits.writesPerSecond = 1_000_000
        configuration.limits.writesBurst = 1_000_000
      }
    ) { world in
      try await world.owner.script(
        """
        SELECT seasons.create_user('coach', 'Coach', 'coach');
        SELECT seasons.create_runner('Ann', 2034, 'UA', true, true);
        """)
      try await body(
        world, try await world.token(username: "coach", runner: 1), try await world.token(username: "ann", runner: 1))
    }
  }

  @Test func `a runner earns points five times a day for each type, with an activity id or without`() async throws {
    try await Self.run { world, coach, ann in
      for number in 1...5 {
        let body = Self.body(uuid: number % 2 == 0 ? nil : "u\(number)")
        let reply = try await world.call(Self.earn, token: ann, body: body)
        #expect(reply.status == 200, "\(reply)")
      }
      // Midnight of New York is at 04:00 UTC.
      for uuid in [nil, "u6"] {
        let refused = try await world.call(Self.earn, token: ann, body: Self.body(uuid: uuid))
        #expect(refused.status == 429 && refused["Retry-After"] == "64800", "\(refused)")
        #expect(refused.has(#""rule":"quota""#), "\(refused)")
      }
      let repeated = try await world.json(Self.earn, token: ann, body: Self.body(uuid: "u1"))
      #expect(try repeated["pointsEarned"] == .number(0))
      #expect(try await world.call(Self.earn, token: ann, body: Self.body("WORKOUT")).status == 200)
      // A coach gives more, also a coach who runs.
      #expect(try await world.json(Self.earn, token: coach, body: Self.body())["newBalance"] == .number(135))
      #expect(try await world.number("SELECT points FROM seasons.runner") == 135)
      try await world.clock("2031-09-02T03:59:59Z")
      #expect(try await world.call(Self.earn, token: ann, body: Self.body()).status == 429)
      try await world.clock("2031-09-02T04:00:00Z")
      #expect(try await world.call(Self.earn, token: ann, body: Self.body()).status == 200)
    }
  }

  @Test func `earnings of a coach leave a runner's own day alone`() async throws {
    try await Self.run { world, coach, ann in
      for _ in 1...6 { #expect(try await world.call(Self.earn, token: coach, body: Self.body()).status == 200) }
      for number in 1...6 {
        let reply = try await world.call(Self.earn, token: ann, body: Self.body())
        #expect(reply.status == (number < 6 ? 200 : 429), "\(number): \(reply)")
      }
      _ = try await world.owner.query("SELECT settled.set('seasons.own_earnings_a_day', '0')")
      #expect(try await world.call(Self.earn, token: ann, body: Self.body("LIFTING")).status == 429)
      #expect(try await world.call(Self.earn, token: coach, body: Self.body("LIFTING")).status == 200)
    }
  }

  @Test func `earnings that arrive together at the limit are counted exactly`() async throws {
    try await Self.run { world, _, ann in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 1...12 {
          group.addTask { try await world.call(Self.earn, token: ann, body: Self.body(uuid: "u\(number)")).status }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses.sorted() == Array(repeating: 200, count: 5) + Array(repeating: 429, count: 7))
      #expect(try await world.number("SELECT points FROM seasons.runner") == 100)
    }
  }

  @Test func `a day of earnings is a date of the zone, also where its clocks change`() async throws {
    try await Self.run(at: "2031-03-01T00:00:00Z") { world, _, ann in
      _ = try await world.owner.query("SELECT settled.set('seasons.own_earnings_a_day', '1')")
      for (instant, rest) in [
        ("2031-03-09T04:59:59Z", "1"), ("2031-03-09T05:00:00Z", "82800"), ("2031-03-10T04:00:00Z", "86400"),
        ("2031-11-02T04:00:00Z", "90000"), ("2031-11-03T05:00:00Z", "86400"),
      ] {
        try await world.clock(instant)
        let first = try await world.call(Self.earn, token: ann, body: Self.body())
        let second = try await world.call(Self.earn, token: ann, body: Self.body())
        #expect(first.status == 200, "\(instant): \(first)")
        #expect(second.status == 429 && second["Retry-After"] == rest, "\(instant): \(second)")
      }
    }
  }
}
