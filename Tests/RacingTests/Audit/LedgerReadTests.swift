import ControlAPI
import Operations
import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

@Suite("What operators read of the ledger") struct LedgerReadTests {
  /// Every kind of journal: deposits, one of them charged back; withdrawals that wait, were paid out and failed; fees,
  /// refunds, prizes, corrections; a race that is open, one that was cancelled.
  private static func books() async throws -> (day: RaceDay, field: RaceDay.Field) {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let open = try await day.course.race(from: "2031-07-01T00:00:00Z", to: "2031-07-02T00:00:00Z")
    _ = try await day.course.enter(field.athletes[0], open)
    try await day.course.review(try #require(field.activities[3]), "disqualify")
    try await day.finish()
    try await day.course.setClock("2031-06-05T10:00:00Z")
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    try await day.settle()
    try await day.course.setClock("2031-06-06T22:59:59.999Z")
    _ = try await day.session.query("SELECT racing.withdraw(\(field.athletes[1]), 500, 'waits')")
    for (key, end) in [("paid", "complete_withdrawal($)"), ("failed", "fail_withdrawal($, 'no')")] {
      let id = try await day.session.query(
        "SELECT (racing.withdraw(\(field.athletes[2]), 300, \(key))->>'id')::bigint"
      ).one(Int64.self)
      try await day.course.setClock("2031-06-06T23:00:00Z")
      _ = try await day.session.query("SELECT racing.\(raw: end.replacing("$", with: String(id)))")
    }
    let deposit = try await day.session.query(
      "SELECT (racing.deposit(\(field.athletes[0]), 70, 'back')->>'id')::bigint"
    )
    .one(Int64.self)
    _ = try await day.session.query("SELECT racing.reverse_deposit(\(deposit), 'charged back')")
    #expect(try await day.differences() == [])
    return (day, field)
  }

  private static func posted(_ day: RaceDay, _ condition: String) async throws -> Int64 {
    try await day.session.query(
      """
      SELECT coalesce(sum(p.amount_pence), 0)::bigint
      FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id WHERE \(raw: condition)
      """
    ).one(Int64.self)
  }

  @Test func `the balances are the sums of all postings, to the penny`() async throws {
    let (day, _) = try await Self.books()
    let shown = try await day.ask(.ledgerBalances)
    func house(_ account: String) -> JSONValue? {
      shown["house"]?.elements.first { $0["account"]?.text == account }?["pence"]
    }
    for account in ["platform", "external"] {
      #expect(house(account) == .integer(try await Self.posted(day, "p.account = '\(account)'")), "\(account)")
    }
    #expect(house("platform")?.integer ?? 0 > 0)
    let pools = shown["pools"]?.elements ?? []
    #expect(pools.map { $0["status"]?.text } == ["upcoming", "active", "ended"])
    #expect(
      pools.compactMap { $0["pence"]?.integer }.reduce(0, +) == (try await Self.posted(day, "p.account = 'pool'")))
    #expect(pools.first == ["status": "upcoming", "races": 1, "pence": 100])
    let wallets = try #require(shown["wallets"])
    #expect(wallets["pence"] == .integer(try await Self.posted(day, "p.account = 'wallet'")))
    #expect(
      wallets["count"] == .integer(try await day.session.query("SELECT count(*) FROM racing.wallet").one(Int64.self)))
    let largest = try await day.session.query("SELECT max(balance_pence) FROM racing.wallet").one(Int64.self)
    #expect(wallets["largest"]?.elements.first?["pence"] == .integer(largest))
    #expect(shown["receivablePence"] == .integer(-(try await Self.posted(day, "p.account = 'receivable'"))))
    #expect(shown["pendingWithdrawals"] == ["count": 1, "pence": 500])
  }

  @Test func `the days of a ledger add up to its journals, in the days of a zone`() async throws {
    let (day, _) = try await Self.books()
    for zone in ["UTC", "Europe/London", "Pacific/Kiritimati"] {
      let shown = try await day.ask(
        .ledgerDays,
        [
          "from": .text("2031-06-01T00:00:00Z"), "to": .text("2031-07-01T00:00:00Z"), "zone": .text(zone),
        ])
      #expect(shown["zone"]?.text == zone)
      let days = shown["days"]?.elements ?? []
      #expect(days.count == (zone == "UTC" ? 30 : 31))
      func sum(_ name: String) -> Int64 { days.compactMap { $0[name]?.integer }.reduce(0, +) }
      #expect(sum("journals") == (try await day.session.query("SELECT count(*) FROM racing.journal").one(Int64.self)))
      let expected = [
        "feesPence": try await Self.posted(day, "p.account = 'pool' AND p.amount_pence > 0"),
        "refundsPence": -(try await Self.posted(day, "p.account = 'pool' AND j.kind = 'refund'")),
        "depositsPence": -(try await Self.posted(day, "p.account = 'external' AND j.kind <> 'withdrawal'")),
        "withdrawalsPence": try await Self.posted(day, "p.account = 'external' AND j.kind = 'withdrawal'"),
      ]
      for (name, pence) in expected { #expect(sum(name) == pence, "\(name) in \(zone)") }
      #expect(sum("withdrawalsPence") == 300)
      // All that athletes have: what came in and did not leave, neither to pools nor to the platform.
      let athletes = try await Self.posted(day, "p.account IN ('wallet', 'receivable', 'pending')")
      #expect(
        sum("depositsPence") - sum("withdrawalsPence") - sum("feesPence") + sum("refundsPence") + sum("prizesPence")
          == athletes)
    }
    // 23:00Z on 6 June is the seventh in London.
    let london = try await day.ask(
      .ledgerDays,
      ["from": .text("2031-06-06T00:00:00Z"), "to": .text("2031-06-08T00:00:00Z"), "zone": .text("Europe/London")])
    let byDay = london["days"]?.elements.map { [$0["day"]?.text, $0["withdrawalsPence"]?.serialized] }
    #expect(byDay == [["2031-06-06", "0"], ["2031-06-07", "300"], ["2031-06-08", "0"]])
    let before = try await day.ask(
      .ledgerDays, ["from": .text("2031-06-01T00:00:00Z"), "to": .text("2031-06-02T00:00:00Z")])
    #expect(before["days"]?.elements.map { $0["journals"] } == [0])
  }

  @Test func `days of a ledger are refused beyond 400, the wrong way round, and in no zone`() async throws {
    let day = try await RaceDay()
    func refusal(_ from: String, _ to: String, _ zone: String = "UTC") async throws -> String? {
      try await day.refusal(.ledgerDays, ["from": .text(from), "to": .text(to), "zone": .text(zone)])
    }
    #expect(try await refusal("2031-01-01T00:00:00Z", "2032-02-05T00:00:00Z") == nil)
    #expect(try await refusal("2031-01-01T00:00:00Z", "2032-02-05T00:00:00.001Z") == "to")
    #expect(try await refusal("2031-01-01T00:00:00Z", "2031-01-01T00:00:00Z") == "to")
    #expect(try await refusal("yesterday", "2031-01-01T00:00:00Z") == "from")
    #expect(try await refusal("2031-01-01T00:00:00Z", "2031-01-02T00:00:00Z", "Mars/Olympus") == "time-zone")
  }

  @Test func `journals come newest first, each once, of a race, an athlete or a kind`() async throws {
    let (day, field) = try await Self.books()
    func ids(_ condition: String) async throws -> [Int64] {
      try await day.session.query(
        "SELECT j.id FROM racing.journal AS j WHERE \(raw: condition) ORDER BY j.id DESC"
      ).decode(Int64.self)
    }
    let (race, athlete) = (field.race, field.athletes[2])
    let ofAthlete = "EXISTS (SELECT FROM racing.posting AS p WHERE p.journal_id = j.id AND p.athlete_id = \(athlete))"
    let cases: [([String: ParameterValue], String)] = [
      ([:], "true"), (["race": .integer(race)], "j.race_id = \(race)"), (["athlete": .integer(athlete)], ofAthlete),
      (["kind": .text("withdrawal")], "j.kind = 'withdrawal'"),
      (["race": .integer(race), "athlete": .integer(athlete)], "j.race_id = \(race) AND \(ofAthlete)"),
      (["race": .integer(race), "kind": .text("prize")], "j.race_id = \(race) AND j.kind = 'prize'"),
      (["race": .integer(99_999)], "false"),
    ]
    for (values, condition) in cases {
      let expected = try await ids(condition)
      #expect(expected.isEmpty == (condition == "false"), "\(condition)")
      for limit in [1, 3, 200] as [Int64] {
        #expect(try await day.pages(.ledgerJournals, values, of: limit).flatMap { $0 } == expected, "\(condition)")
      }
    }
    #expect(try await day.refusal(.ledgerJournals, ["kind": .text("x")]) == "kind")
    let fee = try await day.ask(.ledgerJournals, ["kind": .text("entry_fee"), "limit": .integer(1)])["rows"]?.elements
    #expect(fee?.first?["pence"] == 100)
    #expect(fee?.first?["athleteId"] == .integer(field.athletes[0]))
  }

  @Test func `a journal has its postings and its link of the chain, and the head what the last audit checked`()
    async throws
  {
    let (day, _) = try await Self.books()
    let count = try await day.session.query("SELECT max(id) FROM racing.journal").one(Int64.self)
    let empty = try await day.ask(.ledgerHead)
    #expect(
      empty == [
        "position": 0, "journal": .null, "hash": .null, "at": .null, "verifiedTo": .null, "verifiedAt": .null,
        "differences": 0,
      ])
    #expect(try await day.ask(.ledgerJournal, ["id": .integer(1)])["hash"] == .null)
    _ = try await LedgerChain.extend(day.session)
    let head = try await day.ask(.ledgerHead)
    let last = try await day.ask(.ledgerJournal, ["id": .integer(try #require(head["journal"]?.integer))])
    #expect(head["hash"] == last["hash"] && head["hash"]?.text?.count == 64)
    #expect(head["at"] == last["at"])
    #expect(head["position"] == last["position"])
    let before = try await day.session.query(
      "SELECT journal_id FROM racing.chain_link WHERE position = \(try #require(head["position"]?.integer)) - 1"
    ).one(Int64.self)
    #expect(try await day.ask(.ledgerJournal, ["id": .integer(before)])["hash"] == last["previousHash"])
    let sum = last["postings"]?.elements.compactMap { $0["pence"]?.integer }.reduce(0, +)
    #expect(sum == 0)
    #expect(last["postingsCount"]?.integer.map(Int.init) == last["postings"]?.elements.count)
    #expect(try await day.refusal(.ledgerJournal, ["id": .integer(count + 1)]) == "journal")

    // An audit that began at noon of the fifth has checked what was booked before.
    try await day.session.execute(
      """
      INSERT INTO settled.occurrence (schedule, instant, status, planned_at, due_at, started_at, finished_at)
      SELECT 'ledger-audit', at, 'ran', at, at, at, at + interval '3 seconds'
      FROM (SELECT '2031-06-05T12:00:00Z'::timestamptz AS at) AS t
      """)
    let checked = try await day.ask(.ledgerHead)
    let expected = try await day.session.query(
      "SELECT max(id) FROM racing.journal WHERE occurred_at < '2031-06-05T12:00:00Z'"
    ).one(Int64.self)
    #expect(checked["verifiedTo"] == .integer(expected))
    #expect(expected < count)
    #expect(checked["verifiedAt"] == "2031-06-05T12:00:03.000Z")
  }

  @Test func `reading the ledger costs the same beside a hundred times the journals`() async throws {
    let (start, end) = (Timestamp(microseconds: 1_937_000_000_000_000), Timestamp(microseconds: 1_937_001_000_000_000))
    var touched: [[Int]] = []
    for count in [2000, 200_000] {
      let session = try await Self.ledger(count)
      let first = try await session.query(JournalSearch.last(before: start)).one(Int64.self)
      let last = try await session.query(JournalSearch.last(before: end)).one(Int64.self)
      #expect(last - first == 100)
      touched.append([
        try await session.pagesTouched(JournalSearch.last(before: start)),
        try await session.pagesTouched(
          LedgerDays.statement(zone: "UTC", from: start, to: end, journals: first, last)),
        try await session.pagesTouched(
          JournalList.statement(race: nil, athlete: nil, kind: nil, before: .max, limit: 50)),
        try await session.pagesTouched(
          JournalList.statement(race: nil, athlete: 7, kind: nil, before: .max, limit: 50)),
        try await session.pagesTouched(
          JournalList.statement(race: 7, athlete: nil, kind: nil, before: .max, limit: 50)),
        try await session.pagesTouched(JournalList.journal(7)),
        try await session.pagesTouched(LedgerHead.shown(verifiedTo: 1, at: start)),
        try await session.pagesTouched(LedgerHead.lastRun),
      ])
      // The balances do not read the postings of the past: their work is that of the wallets.
      if count > 2000 {
        let plan = try await session.query("EXPLAIN \(fragment: LedgerBalances.statement)").decode(String.self)
        #expect(!plan.contains { $0.contains("Seq Scan on posting") }, "\(plan)")
      }
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many < 2 * few + 150, "\(touched)") }
  }

  /// Journals ten seconds apart, the newest of them at 1,937,010,000 seconds after 1970; each athlete and each race's
  /// pool has ten.
  private static func ledger(_ count: Int) async throws -> Connection {
    let session = try await SettledDatabase.simulated().connect()
    try await session.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
        SELECT 'entry_fee', g::text, 1 + g % \(count / 10), '', to_timestamp(1937010000 - (\(count) - g) * 10)
        FROM generate_series(1, \(count)) AS g;
      INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, amount_pence, balance_pence)
        SELECT j.id, p.* FROM racing.journal AS j, LATERAL (VALUES
          ('wallet', 1 + j.id % \(count / 10), NULL, -5, 5), ('pool', NULL, j.race_id, 5, NULL)) AS p;
      INSERT INTO racing.chain_link (position, journal_id, hash)
        SELECT j.id, j.id, sha256(j.id::text::bytea) FROM racing.journal AS j;
      UPDATE racing.chain_head SET position = \(count), hash = sha256('1'), newest_journal = \(count);
      INSERT INTO racing.wallet (athlete_id, balance_pence) SELECT g, 5 FROM generate_series(1, \(count / 10)) AS g;
      SET session_replication_role = DEFAULT;
      """)
    try await session.execute("VACUUM ANALYZE")
    return session
  }
}
