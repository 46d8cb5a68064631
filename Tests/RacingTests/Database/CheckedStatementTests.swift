import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Statements checked at COMMIT")
struct CheckedStatementTests {
  private static let rename: Statement = "UPDATE racing.athlete SET display_name = display_name || '!'"

  @Test(arguments: [0, 1, 3])
  func `a COMMIT with other rows than were decided is refused, and nothing is committed`(_ decided: Int) async throws {
    let day = try await RaceDay()
    _ = try await day.field([6000, 5000])
    let names: Statement = "SELECT array_agg(display_name ORDER BY id) FROM racing.athlete"
    let before = try await day.session.query(names).one([String].self)
    #expect(before.count == 2)
    let error = await #expect(throws: PostgresError.self) {
      try await day.pool.transaction { transaction in
        try await transaction.execute(Self.rename)
        CheckedStatement.runBeforeCommit([CheckedStatement(Self.rename, rows: decided)], in: transaction)
      }
    }
    #expect(error?.sqlState == "P0004")
    #expect(error?.message == "2 rows were written, but \(decided) were expected")
    #expect(try await day.session.query(names).one([String].self) == before)
  }

  @Test func `a COMMIT with the decided rows succeeds, and so does one without a count`() async throws {
    let day = try await RaceDay()
    _ = try await day.field([6000, 5000])
    try await day.pool.transaction { transaction in
      CheckedStatement.runBeforeCommit(
        [CheckedStatement(Self.rename, rows: 2), CheckedStatement(Self.rename, rows: nil)], in: transaction)
    }
    let renamed = try await day.session.query("SELECT count(*) FROM racing.athlete WHERE display_name LIKE '%!!'")
      .one(Int64.self)
    #expect(renamed == 2)
  }
}
