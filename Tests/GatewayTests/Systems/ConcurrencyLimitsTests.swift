import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("Requests of one caller that wait", .timeLimit(.minutes(2))) struct ConcurrencyLimitsTests {
  @Test func `waiting requests of one caller leave connections to others, and run in turn`() async throws {
    try await SystemWorld.run {
      $0.limits.poolSize = 6
    } _: { world in
      let ann = try await world.athlete("Ann", pounds: 100)
      let token = try await world.token(athlete: ann)
      let lock = try await world.settled.connect()
      try await lock.script("BEGIN; SELECT FROM racing.wallet FOR UPDATE")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<12 {
          group.addTask {
            try await world.call(
              "POST /wallets/\(ann)/withdraw", token: token, body: #"{"amount": 1}"#,
              headers: ["Idempotency-Key: \(number)"]
            ).status
          }
        }
        try await untilTrue("some wait") { try await Self.waiting(world) >= 4 }
        #expect(try await world.call("GET /races").status == 200)
        #expect(try await Self.waiting(world) <= 4)
        try await lock.execute("COMMIT")
        return try await group.reduce(into: []) { $0.append($1) }
      }
      await lock.close()
      // On a slow machine the first ones may have waited too long for the lock.
      #expect(statuses.contains(201) && Set(statuses).isSubset(of: [201, 503]), "\(statuses)")
      #expect(statuses.filter { $0 == 201 }.count >= 8, "\(statuses)")
    }
  }

  private static func waiting(_ world: SystemWorld) async throws -> Int64 {
    try await world.number(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE usename = 'settled_gateway' AND datname = current_database() AND wait_event_type = 'Lock'
      """)
  }

  @Test func `waiting requests continue in their order, and leave when they are cancelled`() async throws {
    let turns = KeyedSemaphore(waitingMax: 2)
    #expect(await turns.take("a", atOnce: 1) == .taken)
    #expect(await turns.take("b", atOnce: 1) == .taken)
    let second = Task { await turns.take("a", atOnce: 1) }
    try await untilTrue("one waits") { turns.waiting("a") == 1 }
    let third = Task { await turns.take("a", atOnce: 1) }
    try await untilTrue("two wait") { turns.waiting("a") == 2 }
    #expect(await turns.take("a", atOnce: 1) == .full)
    second.cancel()
    #expect(await second.value == .cancelled)
    turns.give("a")
    #expect(await third.value == .taken)
    turns.give("a")
    #expect(await turns.take("a", atOnce: 1) == .taken)
    turns.give("a")
    turns.give("b")
    #expect(turns.isIdle)
  }
}
