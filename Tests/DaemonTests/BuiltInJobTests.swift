import Daemon
import Engine
import Operations
import ControlAPI
import Foundation
import Postgres
import TestSupport
import Testing

/// The daemon's own schedules through the commands of jobs.
@Suite("A built-in schedule")
struct BuiltInJobTests {
  private struct Desk {
    let own: BuiltInSchedules
    let commands: [Command]
    let dispatcher: CommandDispatcher

    init(at instant: String = "2031-06-02T09:00:00Z") async throws {
      let database = try await SettledDatabase.simulated()
      try await database.setClock(instant)
      own = try await BuiltInSchedules(database, modules: Modules.all(Configuration(databaseURL: "", node: "one")))
      let time = TestTime.host
      let clockGuard = ClockGuard(time: time)
      let monitor = NodeMonitor(time: time)
      monitor.note(.started(node: "one", afterCrash: false))
      let report = StatusReport(
        node: "one", version: "1", schemaVersion: 1, works: own.system.works, schedules: own.system.jobs,
        monitor: monitor, pool: own.pool, time: time)
      let scheduler = Scheduler(
        pool: own.pool, works: own.system.works, options: SchedulerOptions(node: "one", version: "1"), time: time,
        clockGuard: clockGuard, observe: { _ in })
      commands =
        JobHandlers(report: report, scheduler: scheduler, gate: ClaimGate(clockGuard)).commands + own.system.commands
      dispatcher = CommandDispatcher(commands, pool: own.pool, node: "one")
    }

    func ask(_ name: String, _ job: String? = nil) async throws -> Any {
      let command = try #require(commands.first { $0.name == name })
      let values = job.map { ["name": ParameterValue.text($0)] } ?? [:]
      let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .admin)
      let text = try await dispatcher.run(command, CommandCall(caller: caller, requestId: nil, values: values))
      return try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    func job(_ name: String) async throws -> [String: Any] {
      let jobs = try #require(try await ask("jobs") as? [[String: Any]])
      return try #require(jobs.first { $0["name"] as? String == name })
    }
  }

  @Test func `a built-in schedule is listed with its next tick and last end`() async throws {
    let desk = try await Desk()
    let jobs = try #require(try await desk.ask("jobs") as? [[String: Any]])
    #expect(
      jobs.compactMap { $0["name"] as? String }
        == [
          "race-calendar", "ledger-audit", "stream-pruning", "claim-pruning", "activity-forgetting", "token-demand",
          "hint-pruning",
          "answer-pruning", "history-pruning", "time-zone-check",
        ])
    let before = try await desk.job("race-calendar")
    #expect(before["overdue"] as? Int == 1 && before["lastRunAt"] is NSNull)
    #expect(before["nextDue"] as? String == "2031-06-02T09:20:00.000Z")
    try await desk.own.work()
    let after = try await desk.job("race-calendar")
    #expect(after["overdue"] as? Int == 0 && after["lastOutcome"] as? String == "ran")
    #expect(after["lastRunAt"] as? String == "2031-06-02T09:00:00.000Z")
    try await desk.own.owner.execute("ALTER TABLE racing.race RENAME TO gone")
    try await desk.own.run("race-calendar")
    let broken = try await desk.job("race-calendar")
    #expect(broken["failing"] as? Int == 1)
    #expect((broken["lastOutcome"] as? String)?.hasPrefix("failed: ") == true)
    let next = try #require(try await desk.ask("next") as? [[String: Any]])
    #expect(next.compactMap { $0["schedule"] as? String }.contains("race-calendar"))
  }

  @Test func `a built-in schedule runs once on request, and the audit has the reason`()
    async throws
  {
    let desk = try await Desk()
    for _ in 1...3 { _ = try await desk.ask("job.run", "ledger-audit") }
    try await desk.own.work()
    let runs: Statement = "SELECT count(*) FROM settled.occurrence WHERE schedule = 'ledger-audit' AND status = 'ran'"
    #expect(try await desk.own.count(runs) == 1)
    _ = try await desk.ask("job.run", "ledger-audit")
    try await desk.own.work()
    #expect(try await desk.own.count(runs) == 2)
    try await desk.own.pass(to: "2031-06-04T09:00:00Z")
    let audit = try #require(try await desk.ask("audit.schedule") as? [String: Any])
    #expect((audit["gaps"] as? [Any])?.count == 0 && (audit["doubles"] as? [Any])?.count == 0)
  }

  @Test func `a paused built-in schedule has no ticks, is a problem, and refuses to run until resumed`()
    async throws
  {
    let desk = try await Desk()
    try await desk.own.work()
    let paused = try #require(try await desk.ask("job.pause", "race-calendar") as? [String: Any])
    #expect(paused["state"] as? String == "paused" && paused["nextDue"] is NSNull)
    let problem: Statement = "SELECT coalesce(min(problem), 'none') FROM settled.problem"
    #expect(try await desk.own.owner.query(problem).one(String.self) == "race-calendar: paused")
    let refusal = await #expect(throws: CommandError.self) { try await desk.ask("job.run", "race-calendar") }
    #expect(refusal?.kind == .refused && refusal?.rule == "status")
    let races = try await desk.own.count("SELECT count(*) FROM racing.race")
    try await desk.own.pass(to: "2031-06-08T09:00:00Z")
    #expect(try await desk.own.count("SELECT count(*) FROM racing.race") == races)
    let resumed = try #require(try await desk.ask("job.resume", "race-calendar") as? [String: Any])
    #expect(resumed["state"] as? String == "idle" && resumed["nextDue"] as? String == "2031-06-08T09:20:00.000Z")
    #expect(try await desk.own.owner.query(problem).one(String.self) == "none")
    try await desk.own.pass(to: "2031-06-08T09:20:00Z")
    #expect(try await desk.own.count("SELECT count(*) FROM racing.race") > races)
    let audit = try #require(try await desk.ask("audit.schedule") as? [String: Any])
    #expect((audit["gaps"] as? [Any])?.count == 0 && (audit["doubles"] as? [Any])?.count == 0)
  }

  @Test func `a built-in schedule shows its progress on every node, and ignores sessions of other roles`() async throws
  {
    let desk = try await Desk()
    let database = desk.own.database
    try await desk.own.work()
    _ = try await Course(database: database, session: desk.own.owner).athlete()
    let liar = try await database.connect(.app)
    try await liar.execute("SET application_name = 'settled ledger-audit 1/9'")
    let daemon = try await database.connect(.daemon)
    try await daemon.execute("SET application_name = 'settled ledger-audit 1/99999999999999999999'")
    #expect(try await desk.job("ledger-audit")["progress"] is NSNull)
    // The links are checked, the sums of the wallets have to wait.
    let holder = try await database.connect()
    try await holder.script("BEGIN; LOCK racing.wallet")
    async let run = desk.own.run("ledger-audit")
    try await untilTrue("the progress of the audit") {
      let job = try await desk.job("ledger-audit")
      return job["state"] as? String == "running" && job["progress"] as? [String: Int] == ["done": 1, "total": 1]
    }
    try await holder.script("COMMIT")
    #expect(try await run == "ran")
    #expect(try await desk.job("ledger-audit")["progress"] is NSNull)
    for session in [liar, daemon, holder] { await session.close() }
  }

  @Test func `an older node leaves a schedule that only newer ones know to them`() async throws {
    let desk = try await Desk()
    let older = ScheduleSystem(
      [], in: desk.own.database.context(desk.own.pool), node: "older", operators: desk.own.database.options(.daemon))
    try await desk.own.database.setClock("2031-06-02T09:20:00Z")
    try await BuiltInSchedules.work(older)
    #expect(try await desk.own.last("race-calendar") == "planned")
    let due = try #require(older.works.last?.nextDue)
    #expect(try await desk.own.count("SELECT count(*) FROM (\(raw: due)) AS d(at) WHERE at IS NOT NULL") == 0)
    try await desk.own.work()
    #expect(try await desk.own.last("race-calendar") == "ran")
  }
}
