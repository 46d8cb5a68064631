import Postgres
import Testing

@Suite struct StatementTests {
  @Test func `each value becomes a numbered bind and never text`() {
    let name = "'; DROP TABLE t; --"
    let statement: Statement = "SELECT \(1) WHERE name = \(name) AND note = \(nil as String?)"
    #expect(statement.sql == "SELECT $1 WHERE name = $2 AND note = $3")
    #expect(statement.binds.map(\.type) == [.int8, .text, .text])
    #expect(statement.binds[1].bytes == Array(name.utf8))
    #expect(statement.binds[2].bytes == nil)
  }

  @Test func `raw text stays text`() {
    let statement: Statement = "SELECT \(raw: "a, b") FROM \(raw: "my \"table\"".quotedIdentifier)"
    #expect(statement.sql == #"SELECT a, b FROM "my ""table""""#)
    #expect(statement.binds.isEmpty)
  }

  @Test func `a fragment is spliced with its binds renumbered`() {
    let condition: Statement = "a = \(1) OR b = \("x")"
    let both: Statement = "\(fragment: condition) OR c = \(2)"
    let statement: Statement = "SELECT \(true) WHERE \(fragment: both) LIMIT \(3)"
    #expect(statement.sql == "SELECT $1 WHERE a = $2 OR b = $3 OR c = $4 LIMIT $5")
    #expect(statement.binds == [Bind(true), Bind(1), Bind("x"), Bind(2), Bind(3)])
  }
}
