import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Prizes that rest", .timeLimit(.minutes(2)))
struct RestingTests {
  /// The results are booked at `RaceDay.due`, so this is when they have rested.
  private static let rested = "2031-06-07T01:00:00Z"

  @Test func `a winner withdraws the free part at once, and the prize once it has rested`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000], pence: 1000)
    try await day.finish()
    let winner = field.athletes[0]
    // 900 of the deposit are left, and 75 of 95 parts of 198 were won.
    let prize = try await day.course.balance(winner) - 900
    #expect(prize > 100)
    #expect(try await day.course.rest(winner) == [900, prize])
    let refused = try await day.withdrawal(winner, 901)
    #expect(refused == #"resting {"until": "2031-06-07T01:00:00.000Z", "withdrawablePence": 900}"#)
    #expect(try await day.withdrawal(winner, 900 + prize + 1).hasPrefix("funds"))
    #expect(try await day.withdrawal(winner, 900) == "ok")
    #expect(try await day.course.rest(winner) == [0, prize])
    try await day.pass(to: "2031-06-07T00:59:59.999Z")
    #expect(try await day.withdrawal(winner, 1).hasPrefix("resting"))
    try await day.pass(to: Self.rested)
    #expect(try await day.course.rest(winner) == [prize, 0])
    #expect(try await day.withdrawal(winner, prize) == "ok")
    #expect(try await day.differences() == [])
  }

  @Test func `the documented rest of a wallet is what the wallet shows and a withdrawal allows`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 0)
    var entries: [String: (race: Int64, entry: Int64)] = [:]
    for name in ["race 1", "race 2"] {
      let race = try await day.course.race(type: name == "race 1" ? "top_speed" : "fastest_1km")
      entries[name] = (race, try await day.course.entryRow(athlete, race))
    }
    for row in try RulePage("Racing.docc/Ledger.md").rows("A worked rest") {
      try await day.course.setClock(hour(row.integer("hour")))
      let (what, pence) = (try row.text("what happens"), try row.integer("pence"))
      switch what {
      case "none": break
      case "withdrawal": #expect(try await day.withdrawal(athlete, -pence) == "ok", "\(row)")
      case "deposit":
        _ = try await day.session.query("SELECT racing.deposit(\(athlete), \(pence), \(row.description))")
      default:
        let kind = what.hasPrefix("entry") ? "entry_fee" : String(what.prefix { $0 != " " })
        let place = try #require(entries[kind == "entry_fee" ? "race 2" : String(what.suffix(6))])
        try await day.course.book(kind, pence, to: athlete, place.race, place.entry)
      }
      let resting = try row.integer("resting")
      #expect(try await day.course.balance(athlete) == row.integer("balance"), "\(row)")
      #expect(try await day.course.rest(athlete) == [row.integer("balance") - resting, resting], "\(row)")
      if resting > 0 {
        let tooMuch = try await day.withdrawal(athlete, row.integer("balance") - resting + 1, commit: false)
        #expect(tooMuch.hasPrefix("resting"), "\(row)")
      }
    }
  }

  private func hour(_ hour: Int64) -> String {
    let hours = String(100 + hour % 24).suffix(2)
    return "2031-06-0\(3 + hour / 24)T\(hours):00:00Z"
  }

  @Test func `the instant of a refused withdrawal is the first at which the amount can go`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 500)
    // Three prizes of 100 at instants with microseconds, two of them at one instant.
    for (index, second) in ["00.0001", "10.000999", "10.000999"].enumerated() {
      let race = try await day.course.race(type: ["top_speed", "fastest_1km", "fastest_5km"][index])
      let entry = try await day.course.entryRow(athlete, race)
      try await day.course.setClock("2031-06-02T10:00:\(second)Z")
      try await day.course.book("prize", 100, to: athlete, race, entry)
    }
    let (first, last) = ("2031-06-05T10:00:00.001Z", "2031-06-05T10:00:10.001Z")
    for (pence, until) in [(501, first), (600, first), (601, last), (700, last), (800, last)] {
      let refused = try await day.withdrawal(athlete, Int64(pence))
      #expect(refused == #"resting {"until": "\#(until)", "withdrawablePence": 500}"#, "\(pence)")
    }
    try await day.course.setClock("2031-06-05T10:00:00Z")
    #expect(try await day.withdrawal(athlete, 501).hasPrefix("resting"))
    try await day.course.setClock(first)
    #expect(try await day.withdrawal(athlete, 601).hasPrefix("resting"))
    #expect(try await day.withdrawal(athlete, 600) == "ok")
    try await day.course.setClock(last)
    #expect(try await day.withdrawal(athlete, 200) == "ok")
  }

  @Test func `a change of the time that prizes rest holds for prizes that were booked before`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    try await day.finish()
    let winner = field.athletes[0]
    let all = try await day.course.balance(winner)
    for (span, outcome) in [("0s", "ok"), ("1h", "resting"), ("30d", "resting"), ("0", "ok")] {
      try await day.session.execute("SELECT settled.set('racing.prize_rest', \(span))")
      #expect(try await day.withdrawal(winner, all, commit: false).hasPrefix(outcome), "\(span)")
    }
  }

  @Test func `a correction takes back a prize that rests, and leaves no debt`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000], pence: 100)
    try await day.finish()
    let (winner, second) = (field.athletes[0], field.athletes[1])
    #expect(try await day.withdrawal(winner, 1).hasPrefix("resting"))
    try await day.pass(to: "2031-06-04T05:00:00Z")
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    try await day.settle()
    // The fee is back in the prize's place.
    #expect(try await day.course.purse(winner) == [100, 0, 0])
    #expect(try await day.course.rest(winner) == [0, 100])
    #expect(try await day.course.rest(second) == [0, 156])
    // What the second gained by the correction rests from then on.
    try await day.pass(to: Self.rested)
    #expect(try await day.course.rest(winner) == [100, 0])
    #expect(try await day.course.rest(second) == [59, 97])
    #expect(try await day.differences() == [])
  }

  /// Finding T4, as it was before prizes rested.
  @Test func `a prize that does not rest is gone before the correction, which leaves a debt`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000], pence: 100)
    try await day.session.execute("SELECT settled.set('racing.prize_rest', '0s')")
    try await day.finish()
    let winner = field.athletes[0]
    let prize = try await day.course.balance(winner)
    #expect(try await day.withdrawal(winner, prize) == "ok")
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    try await day.settle()
    #expect(try await day.course.purse(winner) == [0, prize, prize - 100])
  }

  @Test func `a withdrawal that waits for the booking of a prize does not get it`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 500)
    let race = try await day.course.race()
    let entry = try await day.course.entryRow(athlete, race)
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script("BEGIN")
    try await Course(database: day.course.database, session: holder).book("prize", 300, to: athlete, race, entry)
    let waiting = Task { try await RaceDay.withdrawal(athlete, 800, by: day.course.database.connect()) }
    try await day.session.untilBlocked(by: pid)
    try await holder.script("COMMIT")
    #expect(try await waiting.value.hasPrefix("resting"))
    #expect(try await day.withdrawal(athlete, 500) == "ok")
  }

  @Test func `a withdrawal that waits for a correction is measured by what it leaves`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 500)
    let race = try await day.course.race()
    let entry = try await day.course.entryRow(athlete, race)
    try await day.course.book("prize", 300, to: athlete, race, entry)
    let holder = try await day.course.database.connect()
    let pid = try await holder.backend()
    try await holder.script("BEGIN")
    try await Course(database: day.course.database, session: holder).book("correction", -400, to: athlete, race, entry)
    let waiting = Task { try await RaceDay.withdrawal(athlete, 500, by: day.course.database.connect()) }
    try await day.session.untilBlocked(by: pid)
    try await holder.script("COMMIT")
    #expect(try await waiting.value.hasPrefix("funds"))
    #expect(try await day.course.rest(athlete) == [400, 0])
  }

  @Test func `a prize rests behind a posting that waited for the wallet and is older`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 500)
    let race = try await day.course.race()
    let entry = try await day.course.entryRow(athlete, race)
    try await day.course.setClock("2031-06-02T10:00:00Z")
    try await day.course.book("prize", 300, to: athlete, race, entry)
    try await day.course.book("refund", 10, to: athlete, race, entry, at: "2031-06-02T09:50:00Z")
    try await day.course.setClock("2031-06-05T09:55:00Z")
    #expect(try await day.course.rest(athlete) == [510, 300])
  }

  @Test func `the rest of a wallet with 100,000 postings costs a few looks into an index`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 0)
    let race = try await day.course.race()
    let entry = try await day.course.entryRow(athlete, race)
    // Older fees and refunds, then deposits of today: the walk passes neither.
    try await day.session.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
      SELECT CASE WHEN g > 60000 THEN 'deposit' WHEN g % 2 = 0 THEN 'refund' ELSE 'entry_fee' END, 'many/' || g,
        CASE WHEN g <= 60000 THEN \(race) END, 'x',
        settled.clock() - CASE WHEN g <= 60000 THEN interval '5 days' ELSE interval '0' END
      FROM generate_series(1, 100000) AS g;
      INSERT INTO racing.posting (journal_id, account, athlete_id, entry_id, amount_pence, balance_pence)
      SELECT j.id, 'wallet', \(athlete), CASE WHEN j.race_id IS NOT NULL THEN \(entry) END, 1, 1
      FROM racing.journal AS j WHERE j.idempotency_key LIKE 'many/%' ORDER BY j.id;
      UPDATE racing.wallet SET balance_pence = 100000;
      SET session_replication_role = DEFAULT;
      ANALYZE racing.journal, racing.posting;
      """)
    try await day.course.book("prize", 300, to: athlete, race, entry)
    #expect(try await day.course.rest(athlete) == [100_000, 300])
    for call in ["racing.wallet(\(athlete))", "racing.withdraw(\(athlete), 1, gen_random_uuid()::text)"] {
      let touched = try await day.session.pagesTouched("SELECT \(raw: call)")
      #expect(touched < 150, "\(call): \(touched) pages")
    }
  }
}

extension Course {
  /// What can be withdrawn and what rests, as the wallet shows them.
  fileprivate func rest(_ athlete: Int64) async throws -> [Int64] {
    try await session.query(
      """
      SELECT ARRAY[(w ->> 'withdrawablePence')::bigint, (w ->> 'restingPence')::bigint]
      FROM racing.wallet(\(athlete)) AS w
      """
    ).one([Int64].self)
  }

  /// An entry without a fee's journal, as of a race of long ago.
  fileprivate func entryRow(_ athlete: Int64, _ race: Int64) async throws -> Int64 {
    try await session.query(
      """
      INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at, is_refunded)
      VALUES (\(race), \(athlete), 100, settled.clock(), false) RETURNING id
      """
    ).one(Int64.self)
  }

  /// Books an amount as a settlement does, against cash: from the wallet as far as it reaches, the rest is owed.
  fileprivate func book(
    _ kind: String, _ pence: Int64, to athlete: Int64, _ race: Int64, _ entry: Int64, at instant: String? = nil
  ) async throws {
    _ = try await session.query(
      """
      WITH w AS MATERIALIZED (
        SELECT x.*, greatest(\(pence), -x.balance_pence) AS own FROM racing.wallet AS x WHERE x.athlete_id = \(athlete)
        FOR NO KEY UPDATE
      ), j AS (
        INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
        VALUES (\(kind), gen_random_uuid()::text, \(race), 'booked',
          coalesce(\(instant)::text::timestamptz, settled.clock())) RETURNING id
      ), moved AS (
        UPDATE racing.wallet AS x SET balance_pence = x.balance_pence + w.own,
          receivable_pence = x.receivable_pence + w.own - \(pence) FROM w WHERE x.athlete_id = w.athlete_id
      )
      INSERT INTO racing.posting (journal_id, account, athlete_id, entry_id, amount_pence, balance_pence)
      SELECT j.id, p.account, p.athlete, p.entry, p.pence, p.balance
      FROM j, w, LATERAL (VALUES
        ('external', NULL::bigint, NULL::bigint, -\(pence), NULL::bigint),
        ('wallet', w.athlete_id, \(entry), w.own, w.balance_pence + w.own),
        ('receivable', w.athlete_id, \(entry), \(pence) - w.own, NULL)) AS p (account, athlete, entry, pence, balance)
      WHERE p.account = 'wallet' OR p.pence <> 0
      """)
  }
}

extension RaceDay {
  fileprivate func withdrawal(_ athlete: Int64, _ pence: Int64, commit: Bool = true) async throws -> String {
    try await Self.withdrawal(athlete, pence, by: session, commit: commit)
  }

  /// How a withdrawal ends: `ok`, or the rule with what else its detail has.
  fileprivate static func withdrawal(
    _ athlete: Int64, _ pence: Int64, by session: Connection, commit: Bool = true
  ) async throws -> String {
    do {
      try await session.transaction(commit: commit) {
        _ = try await $0.query("SELECT racing.withdraw(\(athlete), \(pence), gen_random_uuid()::text)")
      }
      return "ok"
    } catch let error as PostgresError {
      guard let rule = Refusal(error)?.rule, let detail = error.detail else { throw error }
      return "\(rule) " + detail.replacing(#""rule": "\#(rule)", "#, with: "")
    }
  }
}
