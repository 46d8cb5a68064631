import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("What is written with COMMIT")
struct CheckedStatementTests {
  private static let rename: Statement = "UPDATE racing.athlete SET display_name = display_name || '!'"

  @Test(arguments: [0, 1, 3])
  func `is counted by the server: other rows than those decided, and nothing is committed`(_ decided: Int) async throws
  {
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
    #expect(error?.message == "2 rows were written where \(decided) were decided")
    #expect(try await day.session.query(names).one([String].self) == before)
  }

  @Test func `is committed where the rows are those decided, or nobody counts them`() async throws {
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
