import ControlAPI
import Operations
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

@Suite("The list of withdrawals") struct WithdrawalListTests {
  private static func withdraw(_ day: RaceDay, _ athlete: Int64, _ pence: Int64, _ key: String) async throws -> Int64 {
    try await day.session.query("SELECT (racing.withdraw(\(athlete), \(pence), \(key))->>'id')::bigint").one(Int64.self)
  }

  @Test func `pending withdrawals come oldest first, each once, also where their athletes withdrew more meanwhile`()
    async throws
  {
    let day = try await RaceDay()
    let (ann, bob) = (try await day.course.athlete("Ann"), try await day.course.athlete("Bob"))
    let race = try await day.course.race()
    var open: [Int64] = []
    for round in 1...3 {
      open.append(try await Self.withdraw(day, ann, 100, "a\(round)"))
      let done = try await Self.withdraw(day, ann, 50, "done\(round)")
      _ = try await day.session.query("SELECT racing.complete_withdrawal(\(done))")
      let failed = try await Self.withdraw(day, bob, 70, "failed\(round)")
      _ = try await day.session.query("SELECT racing.fail_withdrawal(\(failed), 'no')")
      _ = try await day.session.query("SELECT racing.deposit(\(ann), 10, \("d\(round)"))")
      open.append(try await Self.withdraw(day, bob, 200, "b\(round)"))
    }
    _ = try await day.course.enter(ann, race)
    try await day.course.setClock("2031-06-02T09:00:05Z")
    for limit in [1, 4, 6, 200] as [Int64] {
      #expect(try await day.pages(.withdrawalList, of: limit).flatMap { $0 } == open, "pages of \(limit)")
    }
    let first = try await day.ask(.withdrawalList, ["limit": .integer(1)])["rows"]?.elements.first
    #expect(
      first == [
        "id": .integer(open[0]), "athleteId": .integer(ann), "displayName": "Ann", "pence": 100,
        "requestedAt": "2031-06-02T09:00:00.000Z", "status": "pending", "waitsMs": 5000,
      ])
    // One ends between two pages: the others stay where they are.
    let next = try await day.ask(.withdrawalList, ["limit": .integer(2)])["next"]?.text
    _ = try await day.session.query("SELECT racing.complete_withdrawal(\(open[1]))")
    let rest = try await day.ask(.withdrawalList, ["after": .text(try #require(next))])
    #expect(rest["rows"]?.elements.compactMap { $0["id"]?.integer } == Array(open.dropFirst(2)))
    #expect(try await day.differences() == [])
  }

  @Test func `ended withdrawals come newest first, and a charged-back deposit is none of them`() async throws {
    let day = try await RaceDay()
    let ann = try await day.course.athlete("Ann")
    var ended: [String: [Int64]] = ["completed": [], "failed": []]
    for round in 1...4 {
      for status in ["completed", "failed"] {
        let id = try await Self.withdraw(day, ann, 10, "\(status)\(round)")
        let end: Statement =
          status == "failed" ? "SELECT racing.fail_withdrawal(\(id), 'no')" : "SELECT racing.complete_withdrawal(\(id))"
        _ = try await day.session.query(end)
        ended[status]?.insert(id, at: 0)
      }
      let deposit = try await day.session.query(
        "SELECT (racing.deposit(\(ann), 10, \("back\(round)"))->>'id')::bigint"
      ).one(Int64.self)
      _ = try await day.session.query("SELECT racing.reverse_deposit(\(deposit), 'charged back')")
    }
    for (status, ids) in ended {
      for limit in [1, 3, 4, 200] as [Int64] {
        let pages = try await day.pages(.withdrawalList, ["status": .text(status)], of: limit)
        #expect(pages.flatMap { $0 } == ids, "\(status), pages of \(limit)")
      }
    }
    #expect(try await day.refusal(.withdrawalList, ["status": .text("open")]) == "status")
    #expect(try await day.refusal(.withdrawalList, ["limit": .integer(201)]) == "limit")
    #expect(try await day.refusal(.withdrawalList, ["limit": .integer(0)]) == "limit")
    for cursor in ["", "0", "-1", "+1", "01", "1 ", "9223372036854775808", "x"] {
      #expect(try await day.refusal(.withdrawalList, ["after": .text(cursor)]) == "after", "\(cursor)")
    }
  }

  @Test func `the list of withdrawals costs the same beside a hundred times the transactions`() async throws {
    var touched: [[Int]] = []
    for scale in [1, 100] {
      let session = try await Self.ledger(athletes: 100 * scale)
      touched.append([
        try await session.pagesTouched(WithdrawalList.pending(after: 0, limit: 51)),
        try await session.pagesTouched(WithdrawalList.ended("failed", before: .max, limit: 50)),
      ])
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < 2 * few + 200, "\(touched)") }
  }

  /// Athletes with twenty deposits each; of the first ten one withdrawal has failed and the other one is pending.
  private static func ledger(athletes: Int) async throws -> Connection {
    let session = try await SettledDatabase.simulated().connect()
    try await session.script(
      """
      INSERT INTO racing.athlete (display_name, user_type, created_at)
        SELECT 'a' || g, 'spectator', settled.clock() FROM generate_series(1, \(athletes)) AS g;
      INSERT INTO racing.wallet (athlete_id, balance_pence, pending_pence)
        SELECT g, 2000, CASE WHEN g <= 10 THEN 5 ELSE 0 END FROM generate_series(1, \(athletes)) AS g
        ON CONFLICT (athlete_id) DO UPDATE SET balance_pence = 2000, pending_pence = excluded.pending_pence;
      SET session_replication_role = replica;
      INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
        SELECT 'deposit', 'd' || g, '', settled.clock() FROM generate_series(1, 20 * \(athletes)) AS g;
      INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
        SELECT j.id, 'wallet', 1 + j.id % \(athletes), 100, 2000 FROM racing.journal AS j;
      WITH journal AS (
        INSERT INTO racing.journal (kind, idempotency_key, description, occurred_at)
        SELECT 'withdrawal', 'w' || g, '', settled.clock() FROM generate_series(1, 20) AS g RETURNING id
      ), posting AS (
        INSERT INTO racing.posting (journal_id, account, athlete_id, amount_pence, balance_pence)
        SELECT j.id, 'wallet', 1 + (row_number() OVER () - 1) % 10, -5, 2000 FROM journal AS j RETURNING id
      )
      INSERT INTO racing.transaction_end (posting_id, status, reason, ended_at, journal_id)
        SELECT p.id, 'failed', '', settled.clock(), 1 FROM posting AS p ORDER BY p.id LIMIT 10;
      SET session_replication_role = DEFAULT;
      """)
    try await session.execute("VACUUM ANALYZE")
    return session
  }
}
