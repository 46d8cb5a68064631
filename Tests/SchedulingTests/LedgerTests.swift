import Operations
import Scheduling
import Postgres
import Cron
import TestSupport
import Testing

@Suite("The ledger of ticks") struct LedgerTests {
  private static func hourly(_ missed: MissedPolicy) -> BuiltInSchedule {
    BuiltInSchedule("hourly", cron: "0 * * * *", missed: missed) { _, _, _ in 7 }
  }

  @Test("a tick in time becomes a row that runs, with its rows counted")
  func inTime() async throws {
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(.once)])
    try await town.pass(to: "2031-03-29T13:00:30Z")
    try await town.pass(to: "2031-03-29T14:00:59Z")
    #expect(try await town.rows("hourly") == ["03-29T13:00:00 ran", "03-29T14:00:00 ran"])
    let first = try #require(try await town.list("occurrences", ["name": .text("hourly")]).first)
    #expect(first["rows"] as? Int == 7)
    #expect(first["node"] as? String == "one")
    #expect(first["startedAt"] as? String == "2031-03-29T14:00:59.000Z")
    #expect(try await town.audit().wrong == 0)
  }

  @Test("is listed newest first, whatever a reason holds, and as an empty list where nothing is")
  func listed() async throws {
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(.once)])
    #expect(try await town.list("occurrences", ["name": .text("hourly")]).isEmpty)
    try await town.pass(to: "2031-03-29T13:00:30Z")
    try await town.pass(to: "2031-03-29T14:00:59Z")
    let reason = #"said "no", \u0041 and \ "# + "\n\u{e9}"
    try await town.owner.execute("UPDATE settled.occurrence SET reason = \(reason) WHERE schedule = 'hourly'")
    let all = try await town.list("occurrences", ["name": .text("hourly")])
    #expect(all.compactMap { $0["instant"] as? String } == ["2031-03-29T14:00:00.000Z", "2031-03-29T13:00:00.000Z"])
    #expect(all.allSatisfy { $0["reason"] as? String == reason })
    #expect(try await town.list("occurrences", ["name": .text("hourly"), "limit": .integer(1)]).count == 1)
    #expect(try await town.list("occurrences", ["status": .text("failed")]).isEmpty)
  }

  @Test("of missed ticks none runs, or the latest, or the latest few that are not too old")
  func missed() async throws {
    for (policy, wanted) in [
      (.skip, ["13:00:00 skipped missed", "14:00:00 skipped missed", "15:00:00 skipped missed", "16:00:00 ran"]),
      (
        .once,
        [
          "13:00:00 coalesced missed: a later tick runs", "14:00:00 coalesced missed: a later tick runs",
          "15:00:00 ran", "16:00:00 ran",
        ]
      ),
      (
        .all(max: 2, within: .seconds(10_000)),
        ["13:00:00 skipped missed: older than 10000s", "14:00:00 ran", "15:00:00 ran", "16:00:00 ran"]
      ),
      (
        .all(max: 1, within: .seconds(10_000)),
        [
          "13:00:00 skipped missed: older than 10000s", "14:00:00 skipped missed: more than 1", "15:00:00 ran",
          "16:00:00 ran",
        ]
      ),
    ] as [(MissedPolicy, [String])] {
      let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(policy)])
      try await town.pass(to: "2031-03-29T16:00:10Z")
      #expect(try await town.rows("hourly") == wanted.map { "03-29T" + $0 }, "\(policy)")
      #expect(try await town.audit().wrong == 0)
    }
  }

  @Test("what fails has failed for good, and says why; the next tick runs")
  func failed() async throws {
    let broken = BuiltInSchedule("broken", cron: "0 * * * *") { _, _, transaction in
      try await transaction.execute("CREATE TEMPORARY TABLE half (a integer)")
      return try await transaction.query("SELECT 1 / 0").one(Int64.self)
    }
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [broken])
    try await town.pass(to: "2031-03-29T13:00:00Z")
    try await town.work()
    try await town.pass(to: "2031-03-29T14:00:00Z")
    let rows = try await town.rows("broken")
    #expect(rows.count == 2)
    #expect(rows.allSatisfy { $0.contains("failed") && $0.contains("division by zero") })
  }

  @Test("a paused or removed schedule has no ticks, and the audit knows by which definition each is judged")
  func history() async throws {
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await town.owner.script(
      "CREATE FUNCTION public.nothing() RETURNS void LANGUAGE sql AS ''; GRANT USAGE ON SCHEMA public TO settled_schedule"
    )
    let every = { (cron: String, replace: Bool) in
      [
        "name": .text("mine"), "cron": .text(cron), "call": .text("public.nothing"), "replace": .boolean(replace),
        "missed": .text("skip"),
      ] as [String: CommandCall.Value]
    }
    try await town.ask("schedule.add", every("0 * * * *", false))
    #expect(await town.refusal("schedule.add", every("30 * * * *", false))?.kind == .refused)
    try await town.database.setClock("2031-03-29T14:30:00Z")
    try await town.ask("schedule.add", every("30 * * * *", true))
    try await town.database.setClock("2031-03-29T16:00:00Z")
    try await town.ask("schedule.pause", ["name": .text("mine")])
    try await town.database.setClock("2031-03-29T18:00:00Z")
    try await town.ask("schedule.resume", ["name": .text("mine")])
    try await town.pass(to: "2031-03-29T19:45:00Z")
    let skipped = "skipped missed"
    #expect(
      try await town.rows("mine") == [
        "03-29T13:00:00 \(skipped)", "03-29T14:00:00 \(skipped)", "03-29T15:30:00 \(skipped)",
        "03-29T18:30:00 \(skipped)", "03-29T19:30:00 \(skipped)",
      ])
    #expect(try await town.audit().wrong == 0)
    let filled = try await town.list(
      "schedule.backfill",
      ["name": .text("mine"), "from": .text("2031-03-29T15:00:00Z"), "to": .text("2031-03-29T18:00:00Z")])
    #expect(filled.compactMap { $0["instant"] as? String } == ["2031-03-29T16:30:00.000Z", "2031-03-29T17:30:00.000Z"])
    try await town.work()
    #expect(try await town.rows("mine").filter { $0.hasSuffix("ran") }.count == 2)
    #expect(try await town.audit().wrong == 0)
    try await town.ask("schedule.remove", ["name": .text("mine")])
    try await town.pass(to: "2031-03-30T19:45:00Z")
    #expect(try await town.rows("mine").count == 7)
    #expect(try await town.audit().wrong == 0)
  }

  @Test("the audit of a ledger whose oldest partition goes meanwhile finds no gap in what is left")
  func auditBesidePruning() async throws {
    let town = try await ScheduleFixture(at: "2031-01-28T12:00:00Z", [Self.hourly(.skip)])
    try await town.pass(to: "2031-02-03T12:00:00Z")
    let pruner = try await town.database.connect(.daemon)
    for _ in 1...4 { try await pruner.execute("SELECT settled.plant_occurrences()") }
    try await town.pass(to: "2032-06-01T12:00:00Z")
    try await pruner.script("BEGIN; SELECT settled.prune_occurrences()")
    async let audit = town.audit()
    try await town.owner.untilBlocked(by: try await pruner.backend())
    try await pruner.script("COMMIT")
    let found = try await audit
    #expect(found.occurrences > 3 * 24 && found.wrong == 0)
    let kept: Statement = "SELECT settled.iso(kept_from) FROM settled.occurrence_history"
    #expect(try await town.owner.query(kept).one(String.self) == "2031-02-01T00:00:00.000Z")
  }

  @Test("the audit finds a row that is missing and a row that nothing accounts for")
  func auditFinds() async throws {
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(.skip)])
    try await town.pass(to: "2031-03-29T16:00:10Z")
    try await town.owner.execute("DELETE FROM settled.occurrence WHERE instant = '2031-03-29T14:00:00Z'")
    try await town.owner.execute(
      """
      UPDATE settled.occurrence SET instant = '2031-03-29T15:00:01Z' WHERE instant = '2031-03-29T15:00:00Z'
      """)
    let found = try #require(try await town.ask("audit.schedule", ["schedule": .text("hourly")]) as? [String: Any])
    let instants = { (key: String) in (found[key] as? [[String: Any]])?.compactMap { $0["instant"] as? String } }
    #expect(instants("gaps") == ["2031-03-29T14:00:00.000Z", "2031-03-29T15:00:00.000Z"])
    #expect(instants("doubles") == ["2031-03-29T15:00:01.000Z"])
  }

  @Test("ticks of months are planned in steps, and none is lost")
  func manySteps() async throws {
    let often = BuiltInSchedule("often", cron: "*/20 * * * * *", zone: "Europe/London") { _, _, _ in 0 }
    let town = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [often])
    try await town.pass(to: "2031-04-03T12:00:00Z")
    let audit = try await town.audit()
    #expect(audit.occurrences > 5 * 86_400 / 20)
    #expect(audit.wrong == 0)
    #expect(try await town.rows("often").filter { $0.hasSuffix("ran") }.count == 5)
  }
}
