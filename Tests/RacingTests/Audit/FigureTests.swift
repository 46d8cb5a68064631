import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("The figures of racing for metrics")
struct FigureTests {
  private let course: Course

  init() async throws {
    course = try await Course()
  }

  /// The values of a figure, by name.
  private func values(_ name: String) async throws -> [String: Double] {
    let figure = try #require(RacingModule().figures.first { $0.name == "settled_\(name)" })
    let rows = try await course.session.query(figure.statement).decode(String.self, Double.self)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.0, $0.1) })
  }

  @Test func `a wallet that was changed behind the books is a difference, until it is put right as the page says`()
    async throws
  {
    let athlete = try await course.athlete()
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()])
    #expect(try await values("ledger_differences") == ["": 0])
    try await course.session.execute(
      "UPDATE racing.wallet SET balance_pence = balance_pence + 7 WHERE athlete_id = \(athlete)")
    try await own.run(LedgerAudit.name)
    #expect(try await values("ledger_differences") == ["": 1])

    let page = try Checkout.text("Sources/Racing/Racing.docc/BooksDiffer.md")
    let repair = try #require(page.firstMatch(of: /```sql\n(.+?)```/.dotMatchesNewlines())).1
    try await course.session.script(String(repair).replacing("4711", with: "\(athlete)"))
    try await own.run(LedgerAudit.name)
    #expect(try await values("ledger_differences") == ["": 0])
    #expect(try await course.purse(athlete) == [10_000, 0, 0])
  }

  @Test func `pending withdrawals count by athlete and by pence, and the oldest one that has not ended has its age`()
    async throws
  {
    let (first, second) = (try await course.athlete(), try await course.athlete("Second"))
    #expect(try await values("withdrawals_pending") == ["": 0])
    #expect(try await values("withdrawal_age_seconds") == ["": 0])
    let oldest = try await course.session.query("SELECT (racing.withdraw(\(first), 300, 'a')->>'id')::bigint")
      .one(Int64.self)
    try await course.setClock("2031-06-02T10:00:00Z")
    _ = try await course.session.query("SELECT racing.withdraw(\(first), 200, 'b')")
    _ = try await course.session.query("SELECT racing.withdraw(\(second), 100, 'c')")
    try await course.setClock("2031-06-02T10:01:00Z")
    #expect(try await values("withdrawals_pending") == ["": 2])
    #expect(try await values("withdrawals_pending_pence") == ["": 600])
    #expect(try await values("withdrawal_age_seconds") == ["": 3660])
    _ = try await course.session.query("SELECT racing.complete_withdrawal(\(oldest))")
    #expect(try await values("withdrawals_pending_pence") == ["": 300])
    #expect(try await values("withdrawal_age_seconds") == ["": 60])
  }
}
