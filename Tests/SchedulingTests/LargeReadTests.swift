import Operations
import Scheduling
import ControlAPI
import Postgres
import Cron
import TestSupport
import Testing

@Suite("Reads that may be large")
struct LargeReadTests {
  private static func every(_ cron: String) -> BuiltInSchedule {
    BuiltInSchedule("often", cron: cron, missed: .skip) { _, _, _ in 0 }
  }

  @Test func `a large audit walks over pages of rows, counts all errors, and shows the first thousand`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.every("* * * * *")])
    try await fixture.database.setClock("2031-03-30T13:00:00Z")
    try await fixture.owner.script(
      """
      UPDATE settled.schedule SET cursor_at = '2031-03-30T13:00:00Z', next_tick_at = '2031-03-30T13:01:00Z'
      WHERE name = 'often';
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
      SELECT 'often', i, 'skipped', 'test', i, i, i
      FROM generate_series('2031-03-29T12:00:01Z'::timestamptz, '2031-03-29T15:20:00Z', '1 second') AS i;
      INSERT INTO settled.occurrence (schedule, instant, status, reason, planned_at, due_at, finished_at)
      VALUES ('unknown', '2031-03-29T12:00:00Z', 'skipped', 'test', now(), now(), now())
      """)
    let found = try #require(try await fixture.ask("audit.schedule") as? [String: Any])
    #expect(found["occurrences"] as? Int == 12_001)
    // 1,499 minutes, of which 200 have their row.
    #expect(found["gapCount"] as? Int == 1299)
    #expect(found["doubleCount"] as? Int == 11_801)
    let (gaps, doubles) = (found["gaps"] as? [[String: String]], found["doubles"] as? [[String: String]])
    #expect(gaps?.count == 1000 && gaps?.first?["instant"] == "2031-03-29T15:21:00.000Z")
    #expect(doubles?.count == 1000 && doubles?.first?["instant"] == "2031-03-29T12:00:01.000Z")
    let one = try #require(try await fixture.ask("audit.schedule", ["schedule": .text("often")]) as? [String: Any])
    #expect(one["doubleCount"] as? Int == 11_800)
  }

  @Test func `a preview of a backfill writes nothing, and waits for no lock`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [Self.every("0 * * * *")])
    try await fixture.pass(to: "2031-03-29T16:00:00Z")
    try await fixture.owner.execute("DELETE FROM settled.occurrence")
    try await fixture.owner.script("BEGIN; SELECT FROM settled.schedule WHERE name = 'often' FOR UPDATE")
    let range: [String: ParameterValue] = [
      "name": .text("often"), "from": .text("2031-03-29T12:00:00Z"), "to": .text("2031-03-29T15:30:00Z"),
    ]
    let shown = try await fixture.list("schedule.backfill.preview", range)
    #expect(
      shown.compactMap { $0["instant"] as? String } == [12, 13, 14, 15].map { "2031-03-29T\($0):00:00.000Z" })
    try await fixture.owner.script("COMMIT")
    #expect(try await fixture.rows("often").isEmpty)
    #expect(try await fixture.list("schedule.backfill", range).count == 4)
  }

  @Test func `large reads refuse unknown names and malformed instants`() async throws {
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z")
    #expect(await fixture.refusal("audit.schedule", ["schedule": .text("nope")])?.rule == "schedule")
    #expect(await fixture.refusal("occurrences", ["name": .text("nope")])?.rule == "schedule")
    #expect(
      await fixture.refusal(
        "audit.schedule", ["from": .text("2031-03-30T00:00:00Z"), "to": .text("2031-03-29T00:00:00Z")])?.rule == "to")
    for text in ["yesterday", "1/2/2027", "20270101", "2027-01-01", "12031-01-01T00:00:00Z", "2027-01-01T24:00:00Z"] {
      #expect(await fixture.refusal("occurrences", ["from": .text(text)])?.rule == "from", "\(text)")
    }
    _ = try await fixture.list("occurrences", ["from": .text("2031-03-29T13:00+01:00")])
  }

  @Test func `large reads beyond the server's maximum value are refused, and not logged as bugs`() async throws {
    let database = try await SettledDatabase.real()
    let command = Command(
      CommandDescription("large", .get, "/v1/large", level: .read, summary: "Reads.", answer: .integer),
      .read { _, transaction in
        try await transaction.query("SELECT to_jsonb(array_fill(1, ARRAY[500000000]))").one(JSON.self)
      })
    let call = CommandCall(caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .read), requestId: nil, values: [:])
    let refused = await #expect(throws: CommandError.self) {
      try await CommandDispatcher([command], pool: database.pool(), node: "test").run(command, call)
    }
    #expect(refused?.kind == .refused && refused?.rule == "size", "\(refused.map { "\($0)" } ?? "done")")
  }

  @Test func `one large read runs at a time; another gets 503, and small ones proceed`() async throws {
    let database = try await SettledDatabase.real()
    func command(_ name: String, heavy: Bool) -> Command {
      Command(
        CommandDescription(
          name, .get, "/v1/\(name)", level: .read, weight: heavy ? .heavy : .light, summary: "Reads.", answer: .integer),
        .read { _, transaction in try await transaction.query("SELECT '1'::jsonb").one(JSON.self) })
    }
    let (large, small) = (command("large", heavy: true), command("small", heavy: false))
    let heavy = Pool(options: database.options(.daemon), size: 1, waitTimeout: .milliseconds(50), maximumWaiters: 4)
    let own = Pool(options: database.options(.daemon), size: 1, waitTimeout: .milliseconds(50), maximumWaiters: 4)
    let reads = HeavyReads(everybody: heavy, admins: own)
    let doctor = DoctorHandler(checks: EngineChecks.checks, heavy: reads, time: TestTime.host, local: { [] }).command
    let audit = try #require(AuditHandlers(users: { _ in [:] }).commands.first { $0.name == "audit.log" })
    let dispatcher = CommandDispatcher(
      [large, small, audit, doctor], pool: database.pool(), node: "test", heavy: reads)
    func call(_ level: CommandLevel) -> CommandCall {
      CommandCall(caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: level), requestId: nil, values: [:])
    }
    for command in [large, audit, doctor] {
      #expect(try await dispatcher.run(command, call(.read)).isEmpty == false)
      try await heavy.withConnection { _ async throws in
        for level in [CommandLevel.read, .operate] {
          let refused = await #expect(throws: CommandError.self) { try await dispatcher.run(command, call(level)) }
          #expect(refused?.kind == .unavailable && refused?.rule == "busy", "\(command.name)")
        }
        #expect(try await dispatcher.run(command, call(.admin)).isEmpty == false, "admins have a place of their own")
        #expect(try await dispatcher.run(small, call(.read)) == "1")
      }
      #expect(try await dispatcher.run(command, call(.read)).isEmpty == false)
    }
  }
}
