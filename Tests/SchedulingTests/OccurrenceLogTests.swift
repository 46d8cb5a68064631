import ControlAPI
import Operations
import Scheduling
import Postgres
import Cron
import TestSupport
import Testing

@Suite("The occurrence log") struct OccurrenceLogTests {
  private static func hourly(_ missed: MissedPolicy) -> BuiltInSchedule {
    BuiltInSchedule("hourly", cron: "0 * * * *", missed: missed) { _, _, _ in 7 }
  }

  @Test func `a tick in time becomes a running row, with its rows counted`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(.once)])
    try await fixture.pass(to: "2031-03-29T13:00:30Z")
    try await fixture.pass(to: "2031-03-29T14:00:59Z")
    #expect(try await fixture.rows("hourly") == ["03-29T13:00:00 ran", "03-29T14:00:00 ran"])
    let first = try #require(try await fixture.list("occurrences", ["name": .text("hourly")]).first)
    #expect(first["rows"] as? Int == 7)
    #expect(first["node"] as? String == "one")
    #expect(first["startedAt"] as? String == "2031-03-29T14:00:59.000Z")
    #expect(try await fixture.audit().wrong == 0)
  }

  @Test func `the occurrence log is listed newest first with any reason, or as an empty list`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(.once)])
    #expect(try await fixture.list("occurrences", ["name": .text("hourly")]).isEmpty)
    try await fixture.pass(to: "2031-03-29T13:00:30Z")
    try await fixture.pass(to: "2031-03-29T14:00:59Z")
    let reason = #"said "no", \u0041 and \ "# + "\n\u{e9}"
    try await fixture.owner.execute("UPDATE settled.occurrence SET reason = \(reason) WHERE schedule = 'hourly'")
    let all = try await fixture.list("occurrences", ["name": .text("hourly")])
    #expect(all.compactMap { $0["instant"] as? String } == ["2031-03-29T14:00:00.000Z", "2031-03-29T13:00:00.000Z"])
    #expect(all.allSatisfy { $0["reason"] as? String == reason })
    #expect(try await fixture.list("occurrences", ["name": .text("hourly"), "limit": .integer(1)]).count == 1)
    #expect(try await fixture.list("occurrences", ["status": .text("failed")]).isEmpty)
  }

  @Test func `missed ticks run not at all, or the latest, or the latest few that are not too old`() async throws {
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
      let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(policy)])
      try await fixture.pass(to: "2031-03-29T16:00:10Z")
      #expect(try await fixture.rows("hourly") == wanted.map { "03-29T" + $0 }, "\(policy)")
      #expect(try await fixture.audit().wrong == 0)
    }
  }

  @Test func `a failed tick has failed for good with its reason, and the next tick runs`() async throws {
    let broken = BuiltInSchedule("broken", cron: "0 * * * *") { _, _, transaction in
      try await transaction.execute("CREATE TEMPORARY TABLE half (a integer)")
      return try await transaction.query("SELECT 1 / 0").one(Int64.self)
    }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [broken])
    try await fixture.pass(to: "2031-03-29T13:00:00Z")
    try await fixture.work()
    try await fixture.pass(to: "2031-03-29T14:00:00Z")
    let rows = try await fixture.rows("broken")
    #expect(rows.count == 2)
    #expect(rows.allSatisfy { $0.contains("failed") && $0.contains("division by zero") })
  }

  @Test func `a paused or removed schedule has no ticks, and the audit judges each by its definition`()
    async throws
  {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    try await fixture.owner.script(
      "CREATE FUNCTION public.nothing() RETURNS void LANGUAGE sql AS ''; GRANT USAGE ON SCHEMA public TO settled_schedule"
    )
    let every = { (cron: String, replace: Bool) in
      [
        "name": .text("mine"), "cron": .text(cron), "call": .text("public.nothing"), "replace": .boolean(replace),
        "missed": .text("skip"),
      ] as [String: ParameterValue]
    }
    try await fixture.ask("schedule.add", every("0 * * * *", false))
    #expect(await fixture.refusal("schedule.add", every("30 * * * *", false))?.kind == .refused)
    try await fixture.database.setClock("2031-03-29T14:30:00Z")
    try await fixture.ask("schedule.add", every("30 * * * *", true))
    try await fixture.database.setClock("2031-03-29T16:00:00Z")
    try await fixture.ask("schedule.pause", ["name": .text("mine")])
    try await fixture.database.setClock("2031-03-29T18:00:00Z")
    try await fixture.ask("schedule.resume", ["name": .text("mine")])
    try await fixture.pass(to: "2031-03-29T19:45:00Z")
    let skipped = "skipped missed"
    #expect(
      try await fixture.rows("mine") == [
        "03-29T13:00:00 \(skipped)", "03-29T14:00:00 \(skipped)", "03-29T15:30:00 \(skipped)",
        "03-29T18:30:00 \(skipped)", "03-29T19:30:00 \(skipped)",
      ])
    #expect(try await fixture.audit().wrong == 0)
    let filled = try await fixture.list(
      "schedule.backfill",
      ["name": .text("mine"), "from": .text("2031-03-29T15:00:00Z"), "to": .text("2031-03-29T18:00:00Z")])
    #expect(filled.compactMap { $0["instant"] as? String } == ["2031-03-29T16:30:00.000Z", "2031-03-29T17:30:00.000Z"])
    try await fixture.work()
    #expect(try await fixture.rows("mine").filter { $0.hasSuffix("ran") }.count == 2)
    #expect(try await fixture.audit().wrong == 0)
    try await fixture.ask("schedule.remove", ["name": .text("mine")])
    try await fixture.pass(to: "2031-03-30T19:45:00Z")
    #expect(try await fixture.rows("mine").count == 7)
    #expect(try await fixture.audit().wrong == 0)
  }

  @Test func `an audit whose oldest partition is dropped meanwhile finds no gap in the rest`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-01-28T12:00:00Z", [Self.hourly(.skip)])
    try await fixture.pass(to: "2031-02-03T12:00:00Z")
    let pruner = try await fixture.database.connect(.daemon)
    for _ in 1...4 { try await pruner.execute("SELECT settled.plant_occurrences()") }
    try await fixture.pass(to: "2032-06-01T12:00:00Z")
    try await pruner.script("BEGIN; SELECT settled.prune_occurrences()")
    async let audit = fixture.audit()
    try await fixture.owner.untilBlocked(by: try await pruner.backend())
    try await pruner.script("COMMIT")
    let found = try await audit
    #expect(found.occurrences > 3 * 24 && found.wrong == 0)
    let kept: Statement = "SELECT settled.iso(kept_from) FROM settled.occurrence_history"
    #expect(try await fixture.owner.query(kept).one(String.self) == "2031-02-01T00:00:00.000Z")
  }

  @Test func `an audit of ticks finds a missing row and an unexplained row`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.hourly(.skip)])
    try await fixture.pass(to: "2031-03-29T16:00:10Z")
    try await fixture.owner.execute("DELETE FROM settled.occurrence WHERE instant = '2031-03-29T14:00:00Z'")
    try await fixture.owner.execute(
      """
      UPDATE settled.occurrence SET instant = '2031-03-29T15:00:01Z' WHERE instant = '2031-03-29T15:00:00Z'
      """)
    let found = try #require(try await fixture.ask("audit.schedule", ["schedule": .text("hourly")]) as? [String: Any])
    let instants = { (key: String) in (found[key] as? [[String: Any]])?.compactMap { $0["instant"] as? String } }
    #expect(instants("gaps") == ["2031-03-29T14:00:00.000Z", "2031-03-29T15:00:00.000Z"])
    #expect(instants("doubles") == ["2031-03-29T15:00:01.000Z"])
  }

  @Test func `ticks of months are planned in steps, and none is lost`() async throws {
    let often = BuiltInSchedule("often", cron: "*/20 * * * * *", zone: "Europe/London") { _, _, _ in 0 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [often])
    try await fixture.pass(to: "2031-04-03T12:00:00Z")
    let audit = try await fixture.audit()
    #expect(audit.occurrences > 5 * 86_400 / 20)
    #expect(audit.wrong == 0)
    #expect(try await fixture.rows("often").filter { $0.hasSuffix("ran") }.count == 5)
  }
}
