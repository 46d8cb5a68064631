import TestSupport
import Testing

/// Daemon.docc/Refusals.md against the sources, as files.
@Suite("The page of refusals") struct RefusalsPageTests {
  private static let sources = Result { (try RefusalsInSQL().found, try RefusalsInSwift().found) }

  private let page: RefusalsPage
  private let sql: FoundRefusals
  private let swift: FoundRefusals

  private var found: Set<Refusal> { sql.all.union(swift.all) }

  init() throws {
    page = try RefusalsPage()
    (sql, swift) = try Self.sources.get()
  }

  @Test func `the page has every refusal that a source contains, and no other`() {
    let listed = Set(page.refusals)
    let missing = found.subtracting(listed).sorted()
    #expect(missing == [], "the page lacks these; SETTLED_WRITE=1 writes the names of 400")
    let unknown = listed.subtracting(found).sorted()
    #expect(unknown == [], "no source refuses by these")
    #expect(page.refusals.count == listed.count, "a row is duplicated")
    #expect(sql.all.count > 250 && swift.all.count > 150)
  }

  @Test func `a row has a meaning and a remedy, each a sentence`() {
    let described = page.rows.filter { $0.cells.count > 2 }
    for row in described {
      #expect(row.cells.count == 4 && row.rules.count == 1, "\(row.cells)")
      #expect(row.cells[1].hasSuffix(".") && row.cells[2].hasSuffix("."), "\(row.cells)")
    }
    #expect(described.count > 130)
  }

  @Test func `the names of 400 are those of the sources`() throws {
    let difference = try Checkout.firstDifference(of: RefusalsPage.path, from: page.made(of: found))
    #expect(difference == nil, "SETTLED_WRITE=1 deploy/test --filter RefusalsPageTests writes \(RefusalsPage.path)")
  }

  /// A rule that no literal names is one of these. A new one needs its reader here, or a rule that others name.
  @Test func `each rule that a function computes comes from a place that is read`() {
    #expect(
      sql.computed.sorted() == [
        // Its constraints: the unique ones and the foreign keys.
        "accounts.write: broken", "accounts.write: broken",
        // What the called function has refused by.
        "gateway.checkin_submit: refusal ->> 'rule'", "gateway.racepace_review: refusal_detail::jsonb ->> 'rule'",
        // The two lists of its loops.
        "gateway.take_hint: member", "gateway.take_hint: member",
        // The DETAIL that two functions make.
        "racing.decide: refusal ->> 'rule'",
        // A key of its jsonb, each of which a literal names as well.
        "racing.update_athlete: wrong",
      ])
  }

  @Test func `each rule that a program computes comes from a place that is read`() {
    #expect(
      swift.computed.sorted() == [
        // Parameters of functions, whose calls are read.
        "Call.swift: missing thing", "CommandError+Postgres.swift: rule(error",
        // The daemon's answer, shown as it is, and four rules of settlectl's own.
        "ControlCommand.swift: \"\"", "ControlCommand.swift: problem.rule", "ControlCommand.swift: rule",
        "ControlHandler.swift: error.rule", "EngineHandlers.swift: rule", "Envelope.swift: error.rule",
        "Envelope.swift: error.rule", "GatewayError+Postgres.swift: rule", "GatewayError.swift: name",
        "GatewayError.swift: rule", "GatewayError.swift: thing", "GatewayHandler+Answer.swift: error.rule",
        "GatewayHandler+Answer.swift: rule", "GatewayProbes.swift: error.rule",
        // The rules of finished orders, those of commands and what a statement writes.
        "OrderHandlers.swift: rule",
        // The three directions of a page, and the list of other ways to ask for one.
        "Paging.swift: parameter name", "Paging.swift: parameter name", "Paging.swift: parameter name",
        // Parameters of commands, which are read from their descriptions.
        "RaceList.swift: name", "RaceOrder.swift: rule", "RaceOrderJob.swift: problem.rule",
        "RequestProblem.swift: parameter",
        // The members that calls of `Fields` name.
        "SignIn.swift: parameter name", "SignIn.swift: parameter name", "TimeSpan+Reading.swift: rule",
      ])
  }
}
