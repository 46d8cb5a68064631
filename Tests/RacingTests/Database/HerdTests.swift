import Engine
import Postgres
import Cron
import TestSupport
import Testing

@testable import Racing

@Suite("A herd of races", .timeLimit(.minutes(10)))
struct HerdTests {
  private static func count(_ status: String, _ owner: Connection) async throws -> Int64 {
    try await owner.query("SELECT count(*) FROM racing.race WHERE status = \(status)").one(Int64.self)
  }

  @Test func `a herd of a thousand races is settled except two poisoned ones, tried five times`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    let races = try await Herd(races: 1000, entries: 4).write(owner)
    let poisoned = races[499]  // A void race: a paid one is poisoned below.
    let paid = races[500]
    for (name, race) in [("void", poisoned), ("paid", paid)] {
      try await owner.script(
        "ALTER TABLE racing.settlement ADD CONSTRAINT poison_\(name) CHECK (race_id <> \(race)) NOT VALID")
    }
    let pool = database.pool()
    var context = database.context(pool)
    // One turn may take longer than the first pause: it is longer here, so that a turn is one try.
    context.retries.backoff = Backoff(first: .seconds(100), factor: 2, longest: .seconds(300))
    let runner = JobRunner(SettlementJob(), in: context)
    let start = ContinuousClock.now
    try await runner.runAllDue()
    print("998 of 1,000 races beside two poisoned ones: \(start.duration(to: .now))")
    #expect(try await Self.count("settled", owner) == 998)
    let failures = try await owner.query(
      "SELECT key, attempts::bigint, sql_state, error FROM settled.failure ORDER BY id"
    ).decode(String.self, Int64.self, String?.self, String.self)
    #expect(Set(failures.map(\.0)) == ["\(poisoned)", "\(paid)"])
    for failure in failures {
      #expect(failure.1 == 1 && failure.2 == "23514")
      #expect(failure.3.contains("poison_") && !failure.3.contains("(\(failure.0)"), "\(failure.3)")
    }
    for _ in 0..<5 {
      try await owner.execute("UPDATE settled.failure SET next_attempt_at = last_at")
      try await runner.runAllDue()
    }
    let quarantined = "SELECT count(*) FROM settled.failure WHERE quarantined AND attempts = 5" as Statement
    #expect(try await owner.query(quarantined).one(Int64.self) == 2)
    #expect(try await Books.differences(owner) == [])
    try await owner.script(
      "ALTER TABLE racing.settlement DROP CONSTRAINT poison_void; ALTER TABLE racing.settlement DROP CONSTRAINT poison_paid"
    )
    try await owner.execute("UPDATE settled.failure SET quarantined = false, attempts = 0")
    #expect(try await runner.runAllDue() == 2)
    #expect(try await Self.count("settled", owner) == 1000)
    #expect(try await owner.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
    #expect(try await Books.differences(owner) == [])
  }

  @Test func `every posting of a herd shows the balance after it, with merge joins too`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    _ = try await Herd(races: 120, entries: 5, athletes: 12).write(owner)
    var options = database.options(.daemon)
    for setting in ["enable_hashjoin", "enable_nestloop", "jit"] { options.settings[setting] = "off" }
    let pool = Pool(options: options, size: 2, waitTimeout: .seconds(10), maximumWaiters: 10)
    #expect(try await JobRunner(SettlementJob(), in: database.context(pool)).runAllDue() == 120)
    #expect(try await Books.differences(owner) == [])
  }

  @Test func `a herd of a thousand races is settled, and its books add up`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    _ = try await Herd(races: 1000, entries: 10, athletes: 30).write(owner)
    #expect(try await JobRunner(SettlementJob(), in: database.context()).runAllDue() == 1000)
    #expect(try await Books.differences(owner) == [])
  }
}
