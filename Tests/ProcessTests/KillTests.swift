import Foundation
import Postgres
import TestSupport
import Testing

/// The rounds of the campaign: 15 here, more in deploy/soak.
private let roundsMax = ProcessInfo.processInfo.environment["SETTLED_TEST_ROUNDS"].flatMap { Int($0) } ?? 15

@Suite("kill -9 at random points") struct KillTests {
  @Test func `the books are right after each round of killing three daemons under load`() async throws {
    var random = SeededGenerator()
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      "SELECT settled.set('racing.results_grace', '1s'); SELECT settled.set('racing.entry_cutoff', '0s')")
    _ = try await Herd(races: 5, entries: 30, athletes: 60).write(owner)
    let athletes = try await owner.query("SELECT id FROM racing.athlete ORDER BY id").decode(Int64.self)
    let load = ClientLoad(database, athletes: athletes, clients: 2, random: random)

    var hits = 0
    for round in 1...roundsMax {
      load.allow(300)
      let races = try await Herd(races: Int.random(in: 50...200, using: &random), entries: 20, athletes: 50).write(
        owner)
      let daemons = try (1...3).map { try SettledProcess.daemon(database, node: "killed-\($0)") }
      let done: Statement = "SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'"
      let kills = daemons.map { (daemon: $0, after: Int.random(in: 0..<races.count, using: &random)) }
      for kill in kills.sorted(by: { $0.after < $1.after }) {
        try await untilTrue("\(kill.after) settled races") {
          try await owner.query(done).one(Int64.self) >= Int64(kill.after)
        }
        kill.daemon.killHard()
      }
      for daemon in daemons { #expect(try await daemon.exit() == .signal(SIGKILL), "round \(round) \(random)") }
      try await owner.waitUntilGone("settled")

      let settled = try await owner.query(done).one(Int64.self)
      if settled > 0 && settled < races.count { hits += 1 }
      let differences = try await Books.differences(owner)
      try #require(differences.isEmpty, "round \(round) \(random): \(differences.joined(separator: "\n"))")
    }
    await load.stop()
    #expect(load.errors == [], "\(random)")
    #expect(load.calls > roundsMax * 10)
    #expect(hits > 0, "no kill came in the middle of the work: \(random)")
    print("kill: \(roundsMax) rounds, \(hits) in the middle of a herd, \(load.calls) calls of the load; \(random)")
    try await settleTheRest(database, owner, "\(random)")
    try await depositsAreThere(load, owner)
  }

  private func settleTheRest(_ database: SettledDatabase, _ owner: Connection, _ seed: String) async throws {
    let daemons = try (1...3).map { try SettledProcess.daemon(database, node: "killed-\($0)") }
    let open: Statement = """
      SELECT (SELECT count(*) FROM racing.race WHERE status <> 'settled' AND ends_at <= settled.clock())
        + (SELECT count(*) FROM racing.activity WHERE status = 'pending') + (SELECT count(*) FROM settled.event_pending)
      """
    do {
      try await untilTrue("the end of all that was due", within: .seconds(120)) {
        try await owner.query(open).one(Int64.self) == 0
      }
    } catch {
      let left = try await owner.query(
        """
        SELECT format('%s %s', status, count(*)) FROM racing.race GROUP BY status
        UNION ALL SELECT format('activity %s %s', status, count(*)) FROM racing.activity GROUP BY status
        UNION ALL SELECT format('events %s', count(*)) FROM settled.event_pending
        UNION ALL SELECT concat_ws(' ', job, key, attempts, quarantined, error) FROM settled.failure
        """
      ).decode(String.self)
      throw TimeLimitError(description: "\(error) \(seed): \(left)")
    }
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons { #expect(try await daemon.exit() == .code(0)) }
    try await Books.check(owner, seed)
    let failures = try await owner.query("SELECT concat_ws(' ', job, key, error) FROM settled.failure").decode(
      String.self)
    #expect(failures.isEmpty, "\(failures)")
  }

  /// Each deposit that was acknowledged to the app is in the books, once.
  private func depositsAreThere(_ load: ClientLoad, _ owner: Connection) async throws {
    #expect(try await load.broken(owner) == [])
    #expect(!load.acknowledged.isEmpty)
  }
}
