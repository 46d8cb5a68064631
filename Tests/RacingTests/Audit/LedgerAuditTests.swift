import Operations
import Engine
import Postgres
import DaemonSupport
import TestSupport
import Testing

@testable import Racing

@Suite("The audit of the ledger")
struct LedgerAuditTests {
  /// Two athletes with money, one of whom has entered a race: journals 1 to 3.
  private static func books() async throws -> (course: Course, own: BuiltInSchedules) {
    let course = try await Course()
    let athlete = try await course.athlete()
    _ = try await course.athlete("Second")
    _ = try await course.enter(athlete, course.race())
    return (course, try await BuiltInSchedules(course.database, modules: [RacingModule()]))
  }

  private static func events(_ own: BuiltInSchedules) async throws -> [String] {
    try await own.owner.query(
      "SELECT key FROM settled.event_pending WHERE topic = 'ledger.difference' ORDER BY id"
    ).decode(String.self)
  }

  private static func problems(_ own: BuiltInSchedules) async throws -> [String] {
    try await own.owner.query("SELECT problem FROM settled.problem ORDER BY name").decode(String.self)
  }

  /// Heads that went to the system journal: `position hash differences`.
  private static func heads(_ own: BuiltInSchedules) -> [[String: String]] {
    own.observations.compactMap {
      if case .recorded(KeptHead.record.text, let fields) = $0 { fields } else { nil }
    }
  }

  @Test func `the audit adds every journal to the chain, and logs the chain's head each night`() async throws {
    let (course, own) = try await Self.books()
    try await own.pass(to: "2031-06-03T02:10:00Z")
    #expect(try await own.last(LedgerAudit.name) == "ran")
    let head = try #require(Self.heads(own).last)
    #expect(head["position"] == "3" && head["differences"] == "0")
    #expect(try await own.count("SELECT count(*) FROM racing.chain_link") == 3)
    _ = try await course.athlete("Third")
    try await own.pass(to: "2031-06-04T02:10:00Z")
    #expect(Self.heads(own).map { $0["position"] } == ["3", "4"])
    #expect(Self.heads(own).last?["hash"] != head["hash"])
    #expect(try await Self.problems(own) == [])
    #expect(try await Self.events(own) == [])
  }

  @Test func `a ledger difference is one problem and one event on any number of nights, until repaired`()
    async throws
  {
    let (course, own) = try await Self.books()
    try await course.session.execute("UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 2")
    for night in 3...5 { try await own.pass(to: "2031-06-0\(night)T02:10:00Z") }
    #expect(try await Self.problems(own) == ["ledger differences: 1 (settlectl ledger verify)"])
    #expect(try await Self.events(own) == ["wallet"])
    let payload = try await own.owner.query(
      "SELECT payload::text FROM settled.event_pending WHERE topic LIKE 'ledger%'"
    )
    .one(String.self)
    #expect(payload == #"{"stored": 10001, "account": "wallet", "computed": 10000, "athleteId": 2}"#)
    // Money that moves meanwhile makes it no other difference; another amount does.
    _ = try await course.session.query("SELECT racing.deposit(2, 50, 'more')")
    #expect(try await own.run(LedgerAudit.name) == "ran")
    #expect(try await Self.events(own) == ["wallet"])
    try await course.session.execute("UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 2")
    try await own.run(LedgerAudit.name)
    #expect(try await Self.events(own) == ["wallet", "wallet"])
    try await course.session.execute("UPDATE racing.wallet SET balance_pence = balance_pence - 2 WHERE athlete_id = 2")
    try await own.run(LedgerAudit.name)
    #expect(try await Self.problems(own) == [])
    #expect(try await own.count("SELECT count(*) FROM racing.ledger_difference") == 0)
    // The same one again is a new one.
    try await course.session.execute("UPDATE racing.wallet SET balance_pence = balance_pence + 1 WHERE athlete_id = 2")
    try await own.run(LedgerAudit.name)
    #expect(try await Self.events(own).count == 3)
  }

  @Test func `problems of the audit show in status and health of every node, which stays ready`()
    async throws
  {
    let (course, own) = try await Self.books()
    try await course.session.execute("UPDATE racing.wallet SET pending_pence = 7 WHERE athlete_id = 2")
    try await own.run(LedgerAudit.name)
    let node = TestNode(course.database)
    var seen: NodeSnapshot?
    for await observation in node.all {
      if case .polled(let look) = observation {
        seen = look
        break
      }
    }
    #expect(seen?.problems.first?.text.hasPrefix("ledger differences: 1") == true)
    try await node.stop()
  }

  @Test func `an audit that fails is a problem until one succeeds`() async throws {
    let (course, own) = try await Self.books()
    try await course.session.execute("ALTER TABLE racing.chain_link RENAME TO gone")
    #expect(try await own.run(LedgerAudit.name).hasPrefix("failed"))
    #expect(try await Self.problems(own).first?.hasPrefix("ledger-audit failed at 2031-06-02T09:00:00.000") == true)
    let failures = own.observations.filter { if case .runFailed(LedgerAudit.name, _, _) = $0 { true } else { false } }
    #expect(failures.count == 1)
    try await course.session.execute("ALTER TABLE racing.gone RENAME TO chain_link")
    #expect(try await own.run(LedgerAudit.name) == "ran")
    #expect(try await Self.problems(own) == [])
  }
}
