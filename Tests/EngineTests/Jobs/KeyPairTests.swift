@testable import Engine
import Postgres
import TestSupport
import Testing

@Suite("A key of two columns") struct KeyPairTests {
  private typealias Key = KeyPair<Int64, String>

  /// Visits of a person to a place, which may have a name of several words.
  private struct VisitJob: Job {
    let name = "visits"
    let largestBatch = 4
    var failing: Key?
    let source = DueSource(
      "visit", key: ["person", "place"], order: "t.person, t.place",
      [
        .init(at: "t.due_at", where: "NOT t.done"),
        .init(
          at: "n.at", where: "true",
          rows: .init(
            of: "nudge AS n", key: ["n.person", "n.place"], order: "n.at", each: "(VALUES (1)) AS once(x)")),
      ])

    func gather(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Key] { keys }

    func key(of visit: Key) -> Key { visit }

    func decide(_ visit: Key, at now: Timestamp) throws -> Key {
      if visit == failing { throw EngineError(.notAllowed, "no") }
      return visit
    }

    func apply(_ visits: [Key], at now: Timestamp, in transaction: Transaction) async throws {
      let keys: Statement = "SELECT * FROM unnest(\(visits.map(\.first)), \(visits.map(\.second)))"
      try await transaction.execute("UPDATE visit SET done = true WHERE (person, place) IN (\(fragment: keys))")
      try await transaction.execute("DELETE FROM nudge WHERE (person, place) IN (\(fragment: keys))")
    }
  }

  private func visits() async throws -> (SettledDatabase, Connection, Pool) {
    let database = try await SettledDatabase.simulated()
    let session = try await database.connect()
    try await session.script(
      """
      CREATE TABLE visit (person bigint, place text, due_at timestamptz NOT NULL, done boolean NOT NULL DEFAULT false,
        PRIMARY KEY (person, place));
      CREATE TABLE nudge (person bigint, place text, at timestamptz NOT NULL);
      INSERT INTO visit SELECT p, l, settled.clock() - interval '1 minute'
        FROM generate_series(1, 3) AS p, unnest('{"the old mill",home,x}'::text[]) AS l;
      UPDATE visit SET done = true WHERE person = 3;
      INSERT INTO nudge VALUES (3, 'home', settled.clock() - interval '1 hour');
      """)
    return (database, session, database.pool(.owner))
  }

  private static func row(_ text: String) -> Key { Key(text) ?? Key(0, text) }

  @Test func `an item with a key of two columns is claimed, failed, listed and forgotten`() async throws {
    let (database, session, pool) = try await visits()
    var job = VisitJob()
    job.failing = Key(2, "the old mill")
    let runner = JobRunner(job, in: database.context(pool))
    #expect(try await runner.runAllDue() == 7)
    let left: Statement = "SELECT person || ' ' || place FROM visit WHERE NOT done"
    #expect(try await session.query(left).decode(String.self) == ["2 the old mill"])
    #expect(try await session.query("SELECT count(*) FROM nudge").one(Int64.self) == 0)
    let failed: Statement = "SELECT key FROM settled.failure WHERE job = 'visits'"
    #expect(try await session.query(failed).decode(String.self) == ["2 the old mill"])
    let first = try await session.transaction { try await runner.upcoming($0, limit: 5) }
    #expect(first.map(\.key) == ["2 the old mill"] && first.map(\.count) == [1])
    #expect(try await session.query("SELECT (\(raw: runner.nextDue)) IS NULL").one(Bool.self), "it is held back")
    try await runner.pruneResolvedFailures(session)
    #expect(try await session.query(failed).count == 1, "it is still to be done")
    try await session.execute("UPDATE visit SET done = true")
    try await runner.pruneResolvedFailures(session)
    #expect(try await session.query(failed).isEmpty)
  }

  @Test func `a key of two columns is selected alone, among others and without others`() async throws {
    let (_, session, _) = try await visits()
    let source = VisitJob().source
    func claim(_ request: LockRequest<Key>) async throws -> [String] {
      try Key.decode(await session.query(source.lock(request, job: "visits"))).map(\.description)
    }
    let all = ["1 home", "1 the old mill", "1 x", "2 home", "2 the old mill", "2 x", "3 home"]
    #expect(try await claim(LockRequest(limit: 100)) == all)
    #expect(try await claim(LockRequest(limit: 2)) == ["1 home", "1 the old mill"])
    #expect(try await claim(LockRequest(limit: 9, only: Self.row("2 the old mill"))) == ["2 the old mill"])
    let some = ["3 home", "1 x", "7 home"].map(Self.row)
    #expect(try await claim(LockRequest(limit: 9, among: some)) == ["1 x", "3 home"])
    #expect(try await claim(LockRequest(limit: 9, except: some)) == all.filter { !["3 home", "1 x"].contains($0) })
  }

  @Test func `a key of two columns is parsed only when both columns are there`() {
    #expect(Key("7 the old mill") == Key(7, "the old mill"))
    #expect(Key("7") == nil && Key("x home") == nil)
    #expect(Key(7, "the old mill").description == "7 the old mill")
  }
}
