import Postgres
import TestSupport
import Testing

@testable import Engine
@testable import Scheduling

@Suite("The page of failures") struct VerdictPageTests {
  private static let page = "Engine.docc/Failures.md"

  private static func verdict(_ row: RulePage.Row) throws -> Verdict {
    try #require(Verdict(rawValue: row.text("verdict")))
  }

  @Test func `the table of verdicts is that of the program`() throws {
    let rows = try RulePage(Self.page).rows("Verdicts")
    #expect(try rows.map { try $0.text("verdict") } == Verdict.allCases.map(\.rawValue))
    for row in rows {
      let verdict = try Self.verdict(row)
      #expect(try row.list("classes") == Verdict.classes.filter { $0.value == verdict }.keys.sorted())
      #expect(try row.list("states") == Verdict.states.filter { $0.value == verdict }.keys.sorted())
      let codes = PostgresError.Code.allCases.filter { code in
        ![.server, .injected].contains(code) && PostgresError(code, "x").verdict == verdict
      }
      #expect(try Set(row.list("codes")) == Set(codes.map(\.rawValue)), "\(verdict)")
    }
  }

  private static func run(_ verdict: Verdict, isOperators: Bool) -> String {
    let fates = (1...100).map { RunFate(verdict, attempt: $0, isOperators: isOperators) }
    let again = fates.prefix { $0 == .again }.count
    return again == 0 ? "fails" : again == 100 ? "again" : again == 4 ? "again, five times" : "again \(again) times"
  }

  @Test func `the table of what each verdict does is that of the program`() throws {
    let rows = try RulePage(Self.page).rows("What each verdict does")
    #expect(try rows.map { try $0.text("verdict") } == Verdict.allCases.map(\.rawValue))
    for row in rows {
      let verdict = try Self.verdict(row)
      let state: [Verdict: PostgresError] = [
        .item: PostgresError(.decoding, "x"), .contention: PostgresError(.server, "x", sqlState: "40001"),
        .connection: PostgresError(.connection, "x"), .resource: PostgresError(.server, "x", sqlState: "53100"),
        .timeout: PostgresError(.timeout, "x"), .installation: PostgresError(.server, "x", sqlState: "42501"),
        .caller: PostgresError(.cancelled, "x"),
      ]
      let error = try #require(state[verdict])
      let answers = Dictionary(uniqueKeysWithValues: VerdictCallers.columns.map { ($0.name, $0.answer(error)) })
      #expect(try row.text("item") == ItemFate(verdict).rawValue)
      #expect(try row.text("reply") == (ReplyFate(verdict) == .untilClosed ? "until closed" : answers["reply"]))
      #expect(try row.text("built-in run") == Self.run(verdict, isOperators: false))
      #expect(try row.text("operators' run") == Self.run(verdict, isOperators: true))
      #expect(try row.text("job's pause") == answers["pause"])
      #expect(try row.text("other work") == (verdict.allowsOthers ? "continues" : "stops"))
      #expect(try row.text("command") == answers["command"])
      #expect(try row.text("gateway") == answers["gateway"])
    }
  }
}
