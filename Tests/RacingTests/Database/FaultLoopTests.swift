import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Racing

@Suite("A settlement that is interrupted at any statement", .timeLimit(.minutes(5)))
struct FaultLoopTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: PostgresError
  }

  static let faults = [
    Fault(testDescription: "the connection is lost", error: PostgresError(.connection, "injected")),
    Fault(testDescription: "the server refuses", error: PostgresError(.server, "injected", sqlState: "XX000")),
    Fault(testDescription: "a deadlock", error: PostgresError(.server, "injected", sqlState: "40P01")),
  ]

  /// Ten races, one of them void, that share four athletes, and one that waits for a pending activity.
  private static func database() async throws -> SettledDatabase {
    try await SettledDatabase.prepared("fault_loop") { owner in
      _ = try await Herd(races: 10, entries: 4).write(owner)
      var waiting = Herd(races: 1, entries: 4)
      waiting.hasVoidRaces = false
      _ = try await waiting.write(owner)
      try await owner.execute(
        """
        UPDATE racing.activity SET status = 'pending', scored = false, top_speed_mm_per_s = NULL, max_speed = 9
        WHERE athlete_id = (SELECT max(athlete_id) - 1 FROM racing.activity)
        """)
    }
  }

  private static func statuses(_ owner: Connection) async throws -> [String] {
    try await owner.query("SELECT status FROM racing.race ORDER BY id").decode(String.self)
  }

  @Test(arguments: faults)
  func `an interrupted settlement settles each race once or not at all, and the next run the rest`(_ fault: Fault)
    async throws
  {
    var failAt = 1
    while true {
      let database = try await Self.database()
      let owner = try await database.connect()
      let left = Mutex(failAt)
      var options = database.options(.daemon)
      options.beforeStatement = { _ in
        let isHit = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isHit { throw fault.error }
      }
      let faulty = Pool(options: options, size: 3, waitTimeout: .seconds(10), maximumWaiters: 10)
      let runner = JobRunner(SettlementJob(), in: database.context(faulty))
      _ = await runner.runDue(until: StopFlag(), due: .zero)
      await faulty.close()
      #expect(try await Books.differences(owner) == [], "after a failure at statement \(failAt)")

      try await owner.execute("DELETE FROM settled.failure")
      let clean = database.pool()
      try await JobRunner(SettlementJob(), in: database.context(clean)).runAllDue()
      await clean.close()
      #expect(try await Books.differences(owner) == [], "after the run that followed statement \(failAt)")
      let statuses = try await Self.statuses(owner)
      #expect(statuses.filter { $0 == "settled" }.count == 10 && statuses.last == "ended", "after statement \(failAt)")
      await owner.close()
      if left.withLock({ $0 > 0 }) { break }
      failAt += 1
    }
    print("fault loop (\(fault.testDescription)): \(failAt - 1) statements")
    #expect(failAt > 30)
  }
}
