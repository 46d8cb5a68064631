import Postgres
import TestSupport
import Testing

@Suite("A decision that crashes the process") struct TrapTests {
  @Test func `a decision that crashes the process is quarantined after five counted attempts`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let races = try await Herd(races: 40, entries: 5).write(owner)
    let poisoned = races[17]
    let trap = ["SETTLED_TEST_TRAP": "race-settlement:\(poisoned)"]

    // The service manager starts it again each time. Ending the back-off stands for the time it would take.
    var crashes = 0
    while true {
      let daemon = try SettledProcess.daemon(database, node: "trapped", trap)
      let end = try await firstOf(daemon, owner, poisoned)
      guard end == .crashed else {
        daemon.terminate()
        #expect(try await daemon.exit() == .code(0))
        break
      }
      crashes += 1
      try #require(crashes <= 6, "the race was not quarantined")
      try await owner.execute("UPDATE settled.failure SET next_attempt_at = clock_timestamp() WHERE NOT quarantined")
    }
    // The first crash met a batch of which nothing was counted; the others were careful.
    #expect(crashes == 6)
    #expect(try await owner.query("SELECT status FROM racing.race WHERE id = \(poisoned)").one(String.self) == "ended")
    let failures = try await owner.query("SELECT job, key, attempts::bigint, quarantined FROM settled.failure")
      .decode(String.self, String.self, Int64.self, Bool.self)
    #expect(failures.count == 1)
    #expect(failures.first.map { $0 == ("race-settlement", "\(poisoned)", 5, true) } == true, "\(failures)")
    try await Books.check(owner)
  }

  private enum End { case crashed, quarantined }

  /// Waits until the daemon crashes, or lives on with the race quarantined and everything else done.
  private func firstOf(_ daemon: SettledProcess, _ owner: Connection, _ race: Int64) async throws -> End {
    let isLeft: Statement = """
      SELECT EXISTS (SELECT FROM settled.failure WHERE key = \(String(race)) AND quarantined)
        AND NOT EXISTS (SELECT FROM racing.race WHERE status = 'ended' AND id <> \(race))
        AND EXISTS (SELECT FROM settled.node WHERE needs_notify)
      """
    return try await withThrowingTaskGroup(of: End.self) { group in
      group.addTask {
        guard case .signal = try await daemon.exit() else { throw TimeLimitError(description: "it ended on its own") }
        return .crashed
      }
      group.addTask {
        try await untilTrue("the rest") { try await owner.query(isLeft).one(Bool.self) }
        return .quarantined
      }
      guard let first = try await group.next() else { return .crashed }
      group.cancelAll()
      return first
    }
  }
}
