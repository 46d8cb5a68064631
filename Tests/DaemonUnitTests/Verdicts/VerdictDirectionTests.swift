import TestSupport
import Testing

@Suite("SQLSTATEs in Sources") struct VerdictDirectionTests {
  /// The table, the conditions that it leaves to single callers, and the mechanics of the wire.
  private static func isOwner(_ path: String) -> Bool {
    path.hasPrefix("Sources/Postgres/Connection/")
      || ["Sources/Postgres/Verdict+Table.swift", "Sources/Postgres/PostgresError+Conditions.swift"].contains(path)
  }

  @Test func `only the table of verdicts and the wire compare SQLSTATEs`() throws {
    let states = try Set(
      Checkout.text("Tests/Recorded/sqlstates.txt").split(separator: "\n").map { String($0.prefix(5)) })
    var owners = 0
    for path in try Checkout.paths("Sources", ["swift"]) {
      let code = try Checkout.text(path).replacing(/(?m)^\s*\/\/.*$/, with: "")
      let literals = code.matches(of: /["']([0-9A-Z]{5})["']/).map { String($0.1) }
        .filter { states.contains($0) || $0.hasPrefix("SD") }
      let compared = code.contains(
        /sqlState\)?\??\s*(?:==|!=)\s*"|sqlState\??\.(?:hasPrefix|prefix)|\.contains\([\w.]*sqlState/)
      if Self.isOwner(path) {
        owners += literals.count
      } else {
        #expect(literals == [] && !compared, "\(path)")
      }
    }
    #expect(owners > 20)
  }
}
