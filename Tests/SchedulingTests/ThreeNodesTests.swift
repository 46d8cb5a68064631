import Engine
import Operations
import Scheduling
import ControlAPI
import Foundation
import Postgres
import Cron
import Synchronization
import TestSupport
import Testing

@Suite("Three nodes, restarts and downtime") struct ThreeNodesTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SETTLED_SOAK"] != nil

  private static let zones = [
    "Africa/Cairo", "America/Havana", "Australia/Lord_Howe", "Europe/London", "America/New_York", "Antarctica/Troll",
    "America/Santiago", "Asia/Beirut", "Pacific/Apia", "Asia/Kolkata", "Pacific/Chatham", "UTC",
  ]

  /// Schedules of a zone; the action leaves a row that cannot be there twice.
  private static func schedules(_ zone: String, _ draw: inout SeededGenerator) -> [BuiltInSchedule] {
    ["0 0 * * *", ["*/40 * * * *", "30 1,2 * * *", "15 */3 * * *"].randomElement(using: &draw) ?? "@hourly"]
      .enumerated().map { number, cron in
        let policy = [MissedPolicy.skip, .once, .all(max: 2, within: .seconds(200_000))].randomElement(using: &draw)
        let name = zone.split(separator: "/").joined(separator: "-") + ".\(number)"
        return BuiltInSchedule(name, cron: cron, zone: zone, missed: policy ?? .once) { instant, _, transaction in
          try await transaction.execute("INSERT INTO public.effect VALUES (\(name), \(instant))")
          return 1
        }
      }
  }

  /// A node whose connections break now and then, at any statement.
  private struct Node: Sendable {
    let system: ScheduleSystem
    let pool: Pool

    init(_ name: String, _ own: [BuiltInSchedule], _ database: SettledDatabase, _ faults: Faults) {
      var options = database.options(.daemon)
      options.beforeStatement = { _ in try faults.perhapsFail() }
      pool = Pool(options: options, size: 6, waitTimeout: .seconds(60), maximumWaiters: 100)
      system = ScheduleFixture.system(own, database, pool, node: name)
    }

    /// One turn of everything; what breaks is left as it is, for the next one.
    func turn() async {
      for work in system.works {
        _ = await work.runDue(until: StopFlag(), due: .zero)
        await work.finish()
      }
    }
  }

  private final class Faults: Sendable {
    private let state: Mutex<(draw: SeededGenerator, isOn: Bool)>

    init(seed: UInt64) { state = Mutex((SeededGenerator(seed: seed), true)) }

    func stop() { state.withLock { $0.isOn = false } }

    func perhapsFail() throws {
      let fails = state.withLock { $0.isOn && Int.random(in: 0..<300, using: &$0.draw) == 0 }
      if fails { throw PostgresError(.connection, "a node that died", sqlState: "57P01") }
    }
  }

  @Test(.timeLimit(.minutes(600)))
  func `three nodes lose no tick and double none through restarts and downtime`() async throws {
    var draw = SeededGenerator()
    let database = try await SettledDatabase.simulated()
    // From before the northern spring of 2031 over the southern autumn; in full two years.
    try await database.setClock("2031-03-01T00:00:00Z")
    let owner = try await database.connect()
    try await owner.script(
      """
      CREATE TABLE public.effect (schedule text, instant timestamptz, PRIMARY KEY (schedule, instant));
      GRANT USAGE ON SCHEMA public TO settled_daemon; GRANT INSERT ON public.effect TO settled_daemon;
      """)
    var zones = Self.zones
    if Self.isSoak {
      zones = try await owner.query("SELECT name FROM settled.time_zone ORDER BY 1").decode(String.self)
    }
    let own = zones.flatMap { Self.schedules($0, &draw) }
    let faults = Faults(seed: draw.next())
    let nodes = (1...3).map { Node("node \($0)", own, database, faults) }
    try await database.pool().withConnection { try await nodes[0].system.meet($0) }

    let seconds = (Self.isSoak ? 730 : 92) * 86_400
    var passed = 0
    while passed < seconds {
      // Minutes, hours, days, or weeks of downtime.
      let span = [600, 7200, 90_000, 600_000, 1_900_000].randomElement(using: &draw) ?? 600
      passed += Int.random(in: 60...span, using: &draw)
      try await owner.execute(
        "SELECT settled.set_clock('2031-03-01T00:00:00Z'::timestamptz + \(passed)::integer * interval '1 second')")
      let awake = nodes.filter { _ in Bool.random(using: &draw) }
      await withDiscardingTaskGroup { group in
        for node in awake { group.addTask { await node.turn() } }
      }
      // The moment that a claim is given before it is taken for dead passes.
      try await owner.execute(
        "UPDATE settled.run SET claimed_at = claimed_at - interval '1 minute' WHERE claimed_at IS NOT NULL")
    }
    faults.stop()
    let open: Statement = """
      SELECT count(*) FROM settled.occurrence WHERE status IN ('planned', 'running')
      """
    try await untilTrue("the end of all runs, \(draw)") {
      for node in nodes { await node.turn() }
      return try await owner.query(open).one(Int64.self) == 0
    }
    try await judge(nodes[0].system, owner, database, seed: draw.description)
  }

  private func judge(
    _ system: ScheduleSystem, _ owner: Connection, _ database: SettledDatabase, seed: String
  ) async throws {
    let command = try #require(system.commands.first { $0.name == "audit.schedule" })
    let caller = AuthorizedPeer(uid: 0, gid: 0, pid: 1, level: .read)
    let audit = try await CommandDispatcher(system.commands, pool: database.pool(), node: "judge")
      .run(command, CommandCall(caller: caller, requestId: nil, values: [:]))
    #expect(audit.contains("\"gaps\": [], \"doubles\": []"), "\(audit.prefix(1000)), \(seed)")
    let (ticks, ran, failed) = try await owner.query(
      """
      SELECT count(*), count(*) FILTER (WHERE status = 'ran'), count(*) FILTER (WHERE status = 'failed')
      FROM settled.occurrence
      """
    ).one(Int64.self, Int64.self, Int64.self)
    let strange = try await owner.query(
      """
      SELECT count(*) FROM settled.occurrence AS o LEFT JOIN public.effect AS e USING (schedule, instant)
      WHERE o.schedule <> 'time-zone-check' AND (o.status = 'ran') <> (e.schedule IS NOT NULL)
      """
    ).one(Int64.self)
    #expect(strange == 0 && failed == 0, "\(strange) differ from their effects, \(failed) failed, \(seed)")
    print("schedules: \(ticks) ticks, \(ran) ran, 0 gaps, 0 doubles, \(seed)")
  }
}
