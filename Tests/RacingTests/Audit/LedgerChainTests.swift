import Engine
import Operations
import ControlAPI
import Foundation
import Postgres
import Synchronization
import DaemonSupport
import TestSupport
import Testing
import TextCoding

@testable import Racing

@Suite("The chain over the journals")
struct LedgerChainTests {
  /// Athletes with a deposit each, in the chain.
  private static func chained(_ athletes: Int = 5) async throws -> Course {
    let course = try await Course()
    for number in 1...athletes { _ = try await course.athlete("Athlete \(number)") }
    #expect(try await LedgerChain.extend(course.session) == athletes)
    return course
  }

  private static func findings(_ session: some Session, known: LedgerChain.Head? = nil) async throws -> [String] {
    try await LedgerChain.differences(known: [known].compactMap { $0 }, session).map { difference in
      "\(difference["account"]?.text ?? "") \(difference["finding"]?.text ?? "")"
    }
  }

  /// A change by somebody who is above triggers, and the check's answer.
  static let deeds: [(deed: String, findings: [String])] = [
    ("UPDATE racing.posting SET amount_pence = 9999 WHERE journal_id = 3 AND account = 'wallet'", [changed(3)]),
    (
      """
      UPDATE racing.posting SET amount_pence = sign(amount_pence) * 1, balance_pence = balance_pence WHERE journal_id = 3
      """, [changed(3)]
    ),
    ("DELETE FROM racing.posting WHERE journal_id = 2 AND account = 'external'", [changed(2)]),
    ("DELETE FROM racing.posting WHERE journal_id = 2; DELETE FROM racing.journal WHERE id = 2", [gone(2)]),
    ("UPDATE racing.journal SET occurred_at = occurred_at + interval '1 microsecond' WHERE id = 4", [changed(4)]),
    ("UPDATE racing.journal SET description = '' WHERE id = 1", [changed(1)]),
    (
      "INSERT INTO racing.posting (journal_id, account, amount_pence) VALUES (5, 'external', 1), (5, 'platform', -1)",
      [changed(5)]
    ),
    // Two journals in each other's place.
    (
      """
      UPDATE racing.posting SET journal_id = 5 - journal_id WHERE journal_id IN (2, 3)
      """, [changed(2), changed(3)]
    ),
    (
      """
      UPDATE racing.chain_link SET journal_id = 99 WHERE position = 2;
      UPDATE racing.chain_link SET journal_id = 2 WHERE position = 3;
      UPDATE racing.chain_link SET journal_id = 3 WHERE position = 2
      """, [changed(3), changed(2)]
    ),
    ("DELETE FROM racing.chain_link WHERE position = 3", ["chain link 3 the link is missing"]),
    ("DELETE FROM racing.chain_link WHERE position = 5", ["chain link 5 the link is missing"]),
    ("UPDATE racing.chain_link SET hash = sha256('x') WHERE position = 2", [changed(2), changed(3)]),
    ("UPDATE racing.chain_head SET hash = sha256('x')", ["chain journal 5 the chain head is not the last link"]),
    (
      """
      UPDATE racing.chain_head SET position = 4, hash = (SELECT hash FROM racing.chain_link WHERE position = 4)
      """, ["chain journal 4 the chain head is not the last link"]
    ),
  ]

  private static func changed(_ journal: Int) -> String { "chain journal \(journal) the journal was altered" }

  private static func gone(_ journal: Int) -> String { "chain journal \(journal) the journal is missing" }

  @Test func `the chain finds and names exactly the journals that were changed behind the guards`() async throws {
    let course = try await Self.chained()
    #expect(try await Self.findings(course.session) == [])
    for (deed, findings) in Self.deeds {
      try await course.session.transaction(commit: false) { transaction in
        try await transaction.script("SET LOCAL session_replication_role = replica; \(deed)")
        #expect(try await Self.findings(transaction) == findings, "\(deed)")
      }
    }
  }

  @Test func `a chain rewritten by the owner is consistent, and only a head kept elsewhere shows it`()
    async throws
  {
    let course = try await Self.chained()
    let kept = try await LedgerChain.head(course.session)
    _ = try await course.athlete("Sixth")
    #expect(try await LedgerChain.extend(course.session) == 1)
    #expect(try await Self.findings(course.session, known: kept) == [])
    try await course.session.script(
      """
      SET session_replication_role = replica;
      UPDATE racing.posting SET amount_pence = sign(amount_pence) * 7 WHERE journal_id = 3;
      DELETE FROM racing.chain_link; UPDATE racing.chain_head SET position = 0, hash = '', newest_journal = 0;
      """)
    #expect(try await LedgerChain.extend(course.session) == 6)
    #expect(try await Self.findings(course.session) == [])
    #expect(
      try await Self.findings(course.session, known: kept) == ["chain head 5 the chain does not contain this head"])
  }

  @Test func `the chain appends a journal that commits after one with a higher id`() async throws {
    let course = try await Self.chained(2)
    let (slow, fast) = (try await course.database.connect(), try await course.database.connect())
    try await slow.script("BEGIN; SELECT racing.deposit(1, 100, 'slow')")
    _ = try await fast.query("SELECT racing.deposit(2, 100, 'fast')")
    #expect(try await LedgerChain.extend(fast) == 1)
    try await slow.script("COMMIT")
    #expect(try await LedgerChain.extend(fast) == 1)
    let order: Statement = "SELECT array_agg(journal_id ORDER BY position) FROM racing.chain_link"
    let journals = try await fast.query(order).one([Int64].self)
    #expect(journals == [1, 2, 4, 3])
    #expect(try await Self.findings(fast) == [])
  }

  @Test func `the audit's sweep chains a journal that was written long before the newest`() async throws {
    let course = try await Self.chained(2)
    // As if very many had been written since.
    try await course.session.execute("UPDATE racing.chain_head SET newest_journal = 1000000")
    _ = try await course.session.query("SELECT racing.deposit(1, 100, 'late')")
    #expect(try await LedgerChain.extend(course.session) == 0)
    #expect(try await LedgerChain.extend(course.session, everything: true) == 1)
    #expect(try await Self.findings(course.session) == [])
  }

  @Test func `the chain holds each journal once after concurrent, interrupted extensions`()
    async throws
  {
    let course = try await Self.chained(8)
    var random = SeededGenerator()
    let writers = (1...4).map { athlete in
      Task {
        let session = try await course.database.connect()
        for number in 0..<40 { _ = try await session.query("SELECT racing.deposit(\(athlete), 1, \("w\(number)"))") }
        await session.close()
      }
    }
    let stop = StopFlag()
    let nodes = (0..<2).map { _ in
      let faults = Mutex(SeededGenerator(seed: random.next()))
      var options = course.database.options(.daemon)
      options.beforeStatement = { _ in
        if faults.withLock({ Int.random(in: 0..<12, using: &$0) }) == 0 {
          throw PostgresError(.connection, "a node that died", sqlState: "57P01")
        }
      }
      let work = ChainExtension(
        pool: Pool(options: options, size: 2, waitTimeout: .seconds(20), maximumWaiters: 10))
      return Task { while !stop.isRequested { _ = await work.runDue(until: stop, due: .zero) } }
    }
    for writer in writers { try await writer.value }
    stop.request()
    for node in nodes { await node.value }
    _ = try await LedgerChain.extend(course.session)
    let counts: Statement = """
      SELECT ARRAY[(SELECT count(*) FROM racing.journal), count(*), count(DISTINCT journal_id), max(position)]
      FROM racing.chain_link
      """
    let counted = try await course.session.query(counts).one([Int64].self)
    #expect(counted == [168, 168, 168, 168], "\(random)")
    #expect(try await Self.findings(course.session) == [], "\(random)")
  }

  @Test func `a node extends the chain five minutes after the first journal that is not in it`()
    async throws
  {
    let course = try await Course()
    let node = TestNode(course.database)
    try await node.untilAsleep()
    let due = Statement(
      raw: "SELECT coalesce(settled.iso((\(ChainExtension(pool: course.database.pool()).nextDue))), 'never')")
    let before = try await course.session.query(due).one(String.self)
    _ = try await course.athlete()
    let after = try await course.session.query(due).one(String.self)
    #expect([before, after] == ["never", "2031-06-02T09:05:00.000Z"])
    try await course.setClock("2031-06-02T09:05:00Z")
    try await untilTrue("the chain") {
      try await course.session.query("SELECT count(*) FROM racing.chain_link").one(Int64.self) == 1
    }
    try await node.stop()
  }

  @Test func `doctor's check of the ledger includes the chain, even if only that differs`() async throws {
    let course = try await Self.chained(3)
    let check = try #require(RacingChecks.checks.first { $0.name == "ledger" })
    let ask = { try await course.database.pool().transaction { try await check.run($0) } }
    let good = try await ask()
    #expect(good.isOk && good.finding.hasSuffix("no audit has run yet: settlectl ledger verify checks everything"))
    #expect(good.finding.hasPrefix("the newest 6 postings and 3 links of the chain add up"))
    try await course.session.script(
      "SET session_replication_role = replica; UPDATE racing.journal SET description = 'Bribe' WHERE id = 2")
    let found = try await ask()
    #expect(!found.isOk && found.finding == "1 difference in the journal chain")
    try await course.session.script("UPDATE racing.wallet SET balance_pence = balance_pence + 1")
    #expect(try await ask().finding == "3 differences in the balances, 1 difference in the journal chain")
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()])
    try await own.pass(to: "2031-06-03T02:10:00Z")
    let told = "4 differences that the audit of 2031-06-03T02:10:00.000Z found"
    #expect(try await ask().finding.hasSuffix("in the journal chain, \(told)"))
  }

  @Test func `ledger verify shows the chain's findings among the differences, and accepts a head`()
    async throws
  {
    let course = try await Self.chained(3)
    let pool = course.database.pool()
    let command = try #require(
      RacingModule().commands(in: ModuleContext(gate: course.database.context(pool).gate)).first {
        $0.name == "ledger.verify"
      })
    let dispatcher = CommandDispatcher([command], pool: pool, node: "test")
    let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .read)
    let ask = { (head: String?) in
      let values = head.map { ["head": ParameterValue.text($0)] } ?? [:]
      let text = try await dispatcher.run(command, CommandCall(caller: caller, requestId: nil, values: values))
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    let good = try await ask(nil)
    let chain = try #require(good["chain"] as? [String: Any])
    let hash = try #require(chain["hash"] as? String)
    #expect(chain["position"] as? Int == 3 && hash.count == 64)
    #expect((good["differences"] as? [Any])?.count == 0 && good["journals"] as? Int == 3)
    #expect((try await ask("3:\(hash)")["differences"] as? [Any])?.count == 0)
    let other = try await ask("2:\(hash)")["differences"] as? [[String: Any]]
    #expect(other?.first?["finding"] as? String == "the chain does not contain this head")
    await #expect(throws: CommandError.self) { try await ask("3:abc") }
    try await verifiesKept(course, pool, hash, [3: 0, 2: 1])
    // What was kept before an operator accepted a restored database counts no more.
    try await course.session.execute(
      """
      INSERT INTO settled.restoration (node, found_at, timeline, finding, jobs, accepted_at)
      VALUES ('a', clock_timestamp(), 1, 'a loss', '{}', clock_timestamp())
      """)
    try await verifiesKept(course, pool, hash, [2: 0], keeps: false)
    try await course.session.script(
      "SET session_replication_role = replica; DELETE FROM racing.posting WHERE journal_id = 2; DELETE FROM racing.journal WHERE id = 2"
    )
    let bad = try await ask(nil)["differences"] as? [[String: Any]]
    #expect(bad?.compactMap { $0["account"] as? String } == ["wallet", "chain journal 2"])
    #expect(bad?.last?["stored"] as? Int == 1 && bad?.last?["computed"] as? Int == 0)
  }

  /// `ledger verify` asks for the head that the node keeps without being told.
  private func verifiesKept(
    _ course: Course, _ pool: Pool, _ hash: String, _ expected: [Int64: Int64], keeps: Bool = true
  ) async throws {
    for (position, differences) in expected {
      let commands = RacingModule().commands(
        in: ModuleContext(gate: course.database.context(pool).gate) { _ in
          KeptRecord(fields: [String(position), hash], at: Timestamp(microseconds: 0))
        })
      let command = try #require(commands.first { $0.name == "ledger.verify" })
      let call = CommandCall(caller: AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .read), requestId: nil, values: [:])
      let text = try await CommandDispatcher([command], pool: pool, node: "test").run(command, call)
      let seen = try await course.session.query(
        "SELECT jsonb_array_length(a -> 'differences')::bigint, coalesce((a #>> '{keptHead,position}')::bigint, 0) FROM (SELECT \(JSON(text: text)) AS a) AS t"
      ).one(Int64.self, Int64.self)
      #expect(seen == (differences, keeps ? position : 0))
    }
  }

  @Test func `ledger verify names the audit when the chain is too long for a request`() async throws {
    let course = try await Self.chained(1)
    try await course.session.script(
      """
      CREATE OR REPLACE FUNCTION racing.verify_ledger() RETURNS jsonb LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_catalog.pg_sleep(60); RETURN '{}'; END $$
      """)
    var options = course.database.options(.daemon)
    // Long enough for everything else that a busy machine does in this session.
    options.statementTimeout = .seconds(5)
    let pool = Pool(options: options, size: 1, waitTimeout: .seconds(60), maximumWaiters: 1)
    let command = try #require(
      RacingModule().commands(in: ModuleContext(gate: course.database.context(pool).gate)).first {
        $0.name == "ledger.verify"
      })
    let call = CommandCall(caller: AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .read), requestId: nil, values: [:])
    let error = await #expect(throws: CommandError.self) {
      try await CommandDispatcher([command], pool: pool, node: "test").run(command, call)
    }
    #expect(error?.kind == .unavailable && error?.rule == "timeout")
    #expect(error?.description.contains("job run ledger-audit") == true)
    await pool.close()
  }
}
