import Engine
import Operations
import Scheduling
import ControlAPI
import Foundation
import Postgres
import TestSupport
import Testing

/// Every role may take any advisory lock: nothing of schedules and commands may wait for one.
@Suite("Locks of another session") struct ForeignLockTests {
  private static func values(_ name: String) -> [String: ParameterValue] {
    ["name": .text(name), "cron": .text("0 5 * * *"), "call": .text("pg_catalog.now")]
  }

  private func dispatcher(_ fixture: ScheduleFixture) -> CommandDispatcher {
    CommandDispatcher(fixture.system.commands, pool: fixture.database.pool(), node: "one")
  }

  private func add(_ name: String, request: String, _ fixture: ScheduleFixture) async throws -> String {
    let command = try #require(fixture.system.commands.first { $0.name == "schedule.add" })
    let caller = AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .admin)
    let call = CommandCall(caller: caller, requestId: request, values: Self.values(name))
    return try await dispatcher(fixture).run(command, call)
  }

  @Test func `foreign locks on guessable names delay no command and no start`() async throws {
    let fixture = try await ScheduleFixture()
    let conflict = try await fixture.database.connect()
    for key in ["schedule nightly", "schedule time-zone-check", "request 7 a", "settled.zone_future"] {
      try await conflict.execute("SELECT pg_advisory_lock(hashtextextended(\(key), 0))")
    }
    #expect(try await add("nightly", request: "a", fixture).contains("nightly"))
    try await fixture.database.pool().withConnection { try await fixture.system.meet($0) }
    try await fixture.system.compareTimeZones()
    await conflict.close()
  }

  @Test func `a transaction that holds the rows of the daemon's own schedules delays no start`() async throws {
    let fixture = try await ScheduleFixture(
      [BuiltInSchedule("own", cron: "* * * * *") { _, _, _ in 1 }])
    let conflict = try await fixture.database.connect()
    try await conflict.execute("BEGIN")
    try await conflict.execute("SELECT FROM settled.schedule FOR UPDATE")
    let pool = fixture.database.pool()
    try await pool.withConnection { connection in
      try await connection.execute("SET lock_timeout = '1ms'")
      try await fixture.system.meet(connection)
    }
    await conflict.close()
  }

  @Test func `foreign locks on every known key delay no run, of operators or built-in`() async throws {
    let own = BuiltInSchedule("own", cron: "* * * * *") { _, _, _ in 1 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [own])
    var values = Self.values("mine")
    values["cron"] = .text("* * * * *")
    try await fixture.ask("schedule.add", values)
    let conflict = try await fixture.database.connect()
    try await conflict.execute(
      "SELECT pg_advisory_lock(1935961202, id::integer) FROM generate_series(0, 1000) AS s(id)")
    try await fixture.pass(to: "2031-03-29T12:01:00Z")
    #expect(try await fixture.rows("mine") == ["03-29T12:01:00 ran"])
    #expect(try await fixture.rows("own") == ["03-29T12:01:00 ran"])
    await conflict.close()
  }

  @Test func `locks that prove a run are refused to apps, readers and operators' functions`() async throws {
    let fixture = try await ScheduleFixture()
    for role in ["settled_app", "settled_reader", "settled_schedule"] {
      for statement in [
        "SELECT FROM settled.run FOR UPDATE", "SELECT FROM settled.run FOR KEY SHARE",
        "UPDATE settled.run SET backend = 1",
        "LOCK TABLE settled.run IN ROW SHARE MODE", "SELECT settled.leave_run('a', now())",
      ] {
        let error = await #expect(throws: PostgresError.self, "\(role): \(statement)") {
          try await fixture.owner.transaction(commit: false) { transaction in
            try await transaction.execute("SET LOCAL ROLE \(raw: role)")
            try await transaction.execute("\(raw: statement)")
          }
        }
        #expect(error?.sqlState == "42501", "\(role): \(statement)")
      }
    }
  }

  @Test func `a lock that a run waits for is a problem with its holder's pid until the run succeeds`() async throws {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-03-29T12:00:00Z")
    let owner = try await database.connect()
    try await owner.script(
      """
      CREATE TABLE public.wanted (); GRANT USAGE ON SCHEMA public TO settled_daemon;
      GRANT INSERT ON public.wanted TO settled_daemon;
      """)
    let own = BuiltInSchedule("own", cron: "* * * * *") { _, _, transaction in
      try await transaction.execute("INSERT INTO public.wanted DEFAULT VALUES")
      return 1
    }
    var context = database.context()
    context.lockWait = .milliseconds(20)
    let system = ScheduleSystem([own], in: context, node: "one", operators: database.options(.daemon))
    try await context.pool.withConnection { try await system.meet($0) }
    let conflict = try await database.connect()
    let pid = conflict.backendPID
    try await database.setClock("2031-03-29T12:01:00Z")
    try await conflict.transaction { transaction in
      try await transaction.execute("LOCK TABLE public.wanted")
      for work in system.works { try await work.runAllDue() }
      try await untilTrue("the problem") {
        try await owner.query("SELECT problem FROM settled.problem").decode(String.self) == [
          "own: the run of 2031-03-29T12:01:00.000Z is waiting for a lock held by back end \(pid)"
        ]
      }
    }
    for work in system.works { await work.finish() }
    #expect(try await owner.query("SELECT FROM settled.problem").isEmpty)
    #expect(try await owner.query("SELECT FROM settled.occurrence WHERE status = 'ran'").count == 1)
    await conflict.close()
  }

  @Test func `two concurrent adds of one schedule succeed once, and the second is refused`() async throws {
    let fixture = try await ScheduleFixture()
    async let first = fixture.outcome("schedule.add", Self.values("nightly"))
    async let second = fixture.outcome("schedule.add", Self.values("nightly"))
    #expect(await [first, second].sorted() == ["done", "name"])
    let periods: Statement = "SELECT count(*) FROM settled.schedule_period WHERE schedule = 'nightly'"
    #expect(try await fixture.owner.query(periods).one(Int64.self) == 1)
  }

  @Test func `a request that is made twice at once has one effect and one answer`() async throws {
    let fixture = try await ScheduleFixture()
    async let first = add("nightly", request: "b", fixture)
    async let second = add("nightly", request: "b", fixture)
    let answers = try await [first, second].map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary
    }
    #expect(answers[0] != nil && answers[0] == answers[1])
    #expect(try await fixture.owner.query("SELECT count(*) FROM settled.audit").one(Int64.self) == 1)
  }
}

extension ScheduleFixture {
  /// How a command ended: `done`, or the rule that refused it.
  fileprivate func outcome(_ command: String, _ values: [String: ParameterValue]) async -> String {
    do {
      try await ask(command, values)
      return "done"
    } catch {
      return (error as? CommandError)?.rule ?? "\(error)"
    }
  }
}
