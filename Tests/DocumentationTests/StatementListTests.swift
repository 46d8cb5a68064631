import TestSupport
import Testing

/// A statement that a module names is planned against the real schema, with the
/// daemon's rights, before anything runs it.
@Suite("Statements") struct StatementListTests {
  private static let modules = [
    "Accounts", "Achievements", "CheckIns", "Engine", "Operations", "Racing", "Scheduling", "Seasons", "Strava",
  ]

  /// The statements that `EXPLAIN` cannot plan alone, with the reason.
  private static let others = [
    "MigrationStatements": "the owner's: each test's database was made by them",
    "KeyCollationStatements": "the owner's: each test's database was made by them",
    "ClaimGate.mayClaim": "a part of each poll and of each claim",
    "ClaimGate.entry": "a part: the statement of each poll begins with it",
    "JobKey.arrays": "a part of the statements of failures",
    "SingleKey.arrays": "a part of the statements of failures",
    "KeyPair.arrays": "a part of the statements of failures",
    "WithdrawalList.open": "a part: a clause WITH of statements that are planned",
    "PlanStep.queued": "a transaction of several, of which a later one reads what an earlier one wrote",
    "DueSnapshot.statement": "made of the jobs' parts: each poll of each test runs it",
    "LedgerStatements.postings": "made of `LedgerStatements.statements`, from the wallets that a database answers",
    "CheckedStatement.writing": "made of statements that are planned",
    "BatchKeys.remember": "a part of the claims that keep their keys",
    "JobRunner.opening": "a setting, a claim of `DueSource`, `ClaimGate.entry` and the reads of a job",
    "DailyResetRows.lockWait": "a setting", "OccurrenceStatements.withoutFlush": "a setting",
  ]

  @Test(arguments: modules) func `every statement of a module is in its list of planned statements`(module: String)
    throws
  {
    let lists = try Checkout.paths("Tests", ["swift"]).map { try Checkout.text($0) }
      .filter { $0.contains("planErrors(") }.joined()
    for path in try Checkout.paths("Sources/\(module)", ["swift"]) {
      for name in try Self.statements(try Checkout.text(path)) {
        let type = String(name.prefix { $0 != "." })
        guard Self.others[name] == nil, Self.others[type] == nil else { continue }
        #expect(["(", ",", "]", "\n"].contains { lists.contains(name + $0) }, "\(path): \(name)")
      }
    }
  }

  @Test func `a statement of more than three columns is decoded by name`() throws {
    let types = /\.(?:decode|one|first)\(\s*(?:[\w\[\]<>?.]+\.self,\s*){3}/
    for path in try Checkout.paths("Sources", ["swift"]) {
      let found = try types.firstMatch(in: try Checkout.text(path))
      #expect(found == nil, "\(path): \(found.map { String($0.output) } ?? "")")
    }
  }

  /// The names of static members whose value is a statement: `Type.member`.
  private static func statements(_ source: String) throws -> [String] {
    let type = /^ *(?:package |final |extension )*(?:enum|struct|class|actor|extension|protocol) (?<name>\w+)/
    let member =
      /^ +(?:package )?static (?:func (?<function>\w+).*->|(?:let|var) (?<value>\w+):) \[?(?:Checked)?Statement\]?(?: =| \{|$)/
    var (enclosing, names): ([(indent: Int, name: String)], [String]) = ([], [])
    for line in source.split(separator: "\n") {
      let indent = line.prefix { $0 == " " }.count
      if let found = try type.firstMatch(in: line) {
        enclosing = enclosing.filter { $0.indent < indent } + [(indent, String(found.name))]
      } else if let found = try member.firstMatch(in: line), let owner = enclosing.last(where: { $0.indent < indent }) {
        names.append("\(owner.name).\(found.function ?? found.value ?? "")")
      }
    }
    return names
  }
}
