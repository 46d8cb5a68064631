import Postgres
import TestSupport
import Testing

@Suite struct PreparedStatementTests {
  private func preparedCount(_ connection: Connection) async throws -> Int {
    try await connection.query("SELECT count(*) FROM pg_prepared_statements").one(Int.self)
  }

  @Test func `a repeated statement is prepared once for each combination of bind types`() async throws {
    let (_, connection) = try await connected()
    for number in 0..<10 { _ = try await connection.query("SELECT \(number) + 1") }
    #expect(try await preparedCount(connection) == 2)
    _ = try await connection.query("SELECT \(Int32(1)) + 1")
    #expect(try await preparedCount(connection) == 3)
  }

  @Test func `the server keeps no statements when prepared statements are off`() async throws {
    let (_, connection) = try await connected { $0.preparedStatements = false }
    for number in 0..<10 { #expect(try await connection.query("SELECT \(number)").one(Int.self) == number) }
    #expect(try await preparedCount(connection) == 0)
  }

  @Test func `the least recently used statements make room`() async throws {
    let (_, connection) = try await connected()
    for number in 0..<400 {
      _ = try await connection.query("SELECT \(raw: "\(number)")")
      _ = try await connection.query("SELECT 'often'")
    }
    #expect(try await preparedCount(connection) <= 257)
    let often = try await connection.query(
      "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT ''often'''"
    ).one(Int.self)
    #expect(often == 1)
  }

  @Test func `a statement on a changed table is prepared again`() async throws {
    let (_, connection) = try await connected()
    try await connection.execute("CREATE TABLE t (a bigint)")
    try await connection.execute("INSERT INTO t VALUES (1)")
    #expect(try await connection.query("SELECT * FROM t").columns == ["a"])
    try await connection.execute("ALTER TABLE t ADD COLUMN b text")
    #expect(try await connection.query("SELECT * FROM t").columns == ["a", "b"])
    try await connection.execute("ALTER TABLE t ADD COLUMN c text")
    let error = try await failure { try await connection.transaction { _ = try await $0.query("SELECT * FROM t") } }
    #expect(error.sqlState == "0A000")
    let columns = try await connection.transaction { try await $0.query("SELECT * FROM t").columns }
    #expect(columns == ["a", "b", "c"])
  }

  @Test func `statements that the server dropped are prepared again`() async throws {
    let (_, connection) = try await connected()
    _ = try await connection.query("SELECT \(1)")
    try await connection.script("DISCARD ALL")
    #expect(try await connection.query("SELECT \(2)").one(Int.self) == 2)
  }

  @Test func `a statement that cannot be prepared is not remembered`() async throws {
    let (_, connection) = try await connected()
    for _ in 0..<2 {
      #expect(try await failure { try await connection.query("SELECT * FROM later") }.sqlState == "42P01")
    }
    try await connection.execute("CREATE TABLE later (a int)")
    #expect(try await connection.query("SELECT * FROM later").isEmpty)
  }
}
