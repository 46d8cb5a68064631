import Postgres
import Testing

/// Decoding by the names of columns.
@Suite("Rows") struct NamedColumnTests {
  private struct Pair: Equatable {
    let n: Int?
    let text: String

    init(n: Int?, text: String) {
      self.n = n
      self.text = text
    }

    init(_ row: Row) throws(PostgresError) {
      n = try row["n"]
      text = try row["text"]
    }
  }

  private static let pairs: Statement = "SELECT 'x'::text AS text, 1 AS n UNION ALL SELECT 'y', NULL"

  @Test func `rows decode by column name, in any order of columns`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query(Self.pairs)
    #expect(try rows.decodeAll(as: Pair.init) == [Pair(n: 1, text: "x"), Pair(n: nil, text: "y")])
    #expect(try rows.decodeFirst(as: Pair.init) == Pair(n: 1, text: "x"))
    let none = try await connection.query("SELECT 1 AS n, ''::text AS text WHERE false")
    #expect(try none.decodeFirst(as: Pair.init) == nil)
  }

  @Test func `a row decodes other columns than the row before it`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query(
      "SELECT true AS left, 1 AS a, 2 AS b UNION ALL SELECT false, 3, 4 UNION ALL SELECT true, 5, 6")
    let values: [[Int]] = try rows.decodeAll { row in
      try row["left"] ? [try row["a"], try row["b"]] : [try row["b"], try row["a"]]
    }
    #expect(values == [[1, 2], [4, 3], [5, 6]])
  }

  @Test func `the decoder of one row refuses two rows`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query(Self.pairs)
    #expect(try await failure { try rows.decodeOne(as: Pair.init) }.code == .rowCount)
    #expect(
      try await connection.query("SELECT 1 AS n, ''::text AS text").decodeOne(as: Pair.init) == Pair(n: 1, text: ""))
  }

  @Test func `an error for a missing column names it, the columns of the result and the statement`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query("SELECT 1 AS n, 2 AS other")
    let error = try await failure { try rows.decodeAll(as: Pair.init) }
    #expect(error.code == .decoding)
    #expect(error.message == #"no column named "text" among the columns n, other of: SELECT 1 AS n, 2 AS other"#)
  }

  @Test func `a column name that occurs twice in a result is refused`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query("SELECT 1 AS n, 2 AS n, ''::text AS text")
    let error = try await failure { try rows.decodeAll(as: Pair.init) }
    #expect(error.message.hasPrefix(#"2 columns named "n" among the columns n, n, text"#))
  }

  @Test func `an error for an unreadable value names its column, row and types`() async throws {
    let (_, connection) = try await connected()
    let rows = try await connection.query("SELECT 1 AS n, 'x'::text AS text UNION ALL SELECT 2, NULL")
    let error = try await failure { try rows.decodeAll(as: Pair.init) }
    #expect(error.message == #"column "text" (2 of 2), row 2: expected String, got NULL"#)
  }
}
