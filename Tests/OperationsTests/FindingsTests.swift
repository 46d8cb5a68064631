import Engine
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Operations

@Suite("The findings of status") struct FindingsTests {
  private static let ledger = ProblemKind("books-differ", remedy: "count them")
  private static let money = HeldMoney(
    job: "payment",
    ofItems: { "SELECT k, 250::bigint FROM unnest(\($0)) AS k" }, due: "SELECT 700::bigint")

  private func report(_ database: SettledDatabase, _ monitor: NodeMonitor) -> StatusReport {
    StatusReport(
      node: "one", version: "1", schemaVersion: 1, works: [], monitor: monitor, pool: database.pool(),
      time: TestTime.host, problemKinds: ["ledger": Self.ledger], heldMoney: [Self.money])
  }

  private func findings(_ report: StatusReport) async throws -> [String] {
    let status = await report.status()
    let findings = try #require(status["findings"]).elements
    #expect(findings.map { $0["text"] } == status["problems"]?.elements)
    return findings.map { finding in
      ["code", "target", "since", "heldPence", "remedy"].map { finding[$0]?.serialized ?? "-" }.joined(separator: " ")
    }
  }

  @Test func `problems that the database keeps have the kind of their name, their begin and their schedule`()
    async throws
  {
    for (name, kind, target) in [
      ("ledger", Self.ledger, nil), ("restore", .restored, nil), ("time zones", .staleZones, nil),
      ("schedule nightly", .scheduleFailed, "nightly"), ("paused ledger-audit", .jobPaused, "ledger-audit"),
      ("of a later release", .other, nil),
    ] as [(String, ProblemKind, String?)] {
      let problem = NodeProblem(kept: name, since: Timestamp(microseconds: 0), "text")
      let found = problem.kind(["ledger": Self.ledger])
      #expect(found.0 == kind && found.target == target, "\(name)")
      #expect(problem.code == name)
    }
    #expect(ProblemKind.jobPaused.remedy("ledger-audit") == "settlectl job resume ledger-audit")
    #expect(ProblemKind.jobPaused.remedy() == "settlectl job resume NAME")
  }

  @Test func `a database that is away is found since the first error, with its remedy`() async throws {
    let monitor = NodeMonitor(time: TestTime.host)
    let before = TestTime.host.wall()
    monitor.note(.databaseAway(PostgresError(.connection, "gone", sqlState: "08006")))
    let since = try #require(monitor.current.databaseAwaySince)
    #expect(since >= before)
    monitor.note(.databaseAway(PostgresError(.connection, "still gone", sqlState: "08006")))
    #expect(monitor.current.databaseAwaySince == since)
    let found = try await findings(report(try await SettledDatabase.real(), monitor))
    #expect(
      found.first == "\"database-away\" null \"\(since)\" null \"\(ProblemKind.databaseAway.remedy())\"")
  }

  @Test func `the money of failed, late and paused items is reported, and only that of their job`() async throws {
    let database = try await SettledDatabase.real()
    let session = try await database.connect()
    try await session.script(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error,
        dropped_at, dropped_reason)
      SELECT j, g::text, 5, now, now, now, g <= 3, 'planted', CASE WHEN g = 9 THEN now END, CASE WHEN g = 9 THEN 'no' END
      FROM unnest('{payment,other}'::text[]) AS j, generate_series(1, 9) AS g, clock_timestamp() AS now
      """)
    let pence = { (kind: ProblemKind, target: String?) in
      try await [Self.money].pence(kind, target: target, session)
    }
    #expect(try await pence(.quarantined, "payment") == 750)
    #expect(try await pence(.failing, "payment") == 1250)
    #expect(try await pence(.jobLate, "payment") == 700)
    #expect(try await pence(.jobPaused, "payment") == 700)
    #expect(try await pence(.clockHeld, nil) == 700)
    #expect(try await pence(.quarantined, "other") == nil)
    #expect(try await pence(.draining, nil) == nil)
    #expect(try await [HeldMoney]().pence(.clockHeld, target: nil, session) == nil)
  }

  @Test func `the failed items of a job are found by index among many of others`() async throws {
    let session = try await SettledDatabase.real().connect()
    var touched: [Int] = []
    for size in [200, 20_000] {
      try await session.script(
        """
        DELETE FROM settled.failure;
        INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
        SELECT CASE WHEN g % 100 = 0 AND g <= 200 THEN 'payment' ELSE 'other' END, g::text, 5, now, now, now, g % 2 = 0, 'planted'
        FROM generate_series(1, \(size)) AS g, clock_timestamp() AS now;
        """)
      try await session.execute("VACUUM ANALYZE settled.failure")
      touched.append(try await session.pagesTouched(HeldMoney.failed("payment", isQuarantined: true)))
    }
    #expect(touched[1] < touched[0] + 20, "\(touched)")
  }
}
