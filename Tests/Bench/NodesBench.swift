import Engine
import HostProcess
import HostClock
import Postgres
import TestSupport

/// `deploy/bench nodes`: what four daemons on one database cost, beside one: for ticks,
/// and for writes that make nothing due.
struct NodesBench {
  let seconds: Int
  let repetitions: Int

  private static let counts = [1, 4]

  func run() async throws -> Report {
    try await BenchCluster.with(autovacuum: false) { cluster in
      var report = Report()
      for repetition in 1...repetitions {
        for kind in Kind.allCases {
          note("nodes: \(kind.rawValue), repetition \(repetition) of \(repetitions)")
          var costs: [Double] = []
          for count in Self.counts {
            let cost = try await cost(of: kind, nodes: count, on: cluster)
            report.add("\(kind.rawValue): transactions each, nodes: \(count)", "", cost)
            costs.append(cost)
          }
          report.add("\(kind.rawValue): four nodes by one", "x", costs[1] / costs[0], target: 1.5)
        }
      }
      return report
    }
  }

  /// The transactions of the database in a time of rest are not counted.
  func cost(of kind: Kind, nodes: Int, on cluster: BenchCluster) async throws -> Double {
    try await cluster.make("nodes")
    let owner = try await cluster.connect("nodes")
    _ = try await Herd(races: 50, entries: 10).write(owner, status: "active")
    try await owner.script(
      """
      UPDATE racing.race SET ends_at = clock_timestamp() + interval '1 day', due_at = clock_timestamp()
        + interval '25 hours', next_check_at = clock_timestamp() + interval '25 hours';
      CREATE FUNCTION public.tick() RETURNS void LANGUAGE sql AS '';
      """)
    var daemons: [SettledProcess] = []
    for number in 1...nodes {
      daemons.append(
        try SettledProcess(
          ["run"],
          ["SETTLED_DATABASE_URL": cluster.url("nodes", user: "settled_daemon"), "SETTLED_NODE": "bench-\(number)"]))
    }
    try await untilTrue("the daemons' rest") {
      try await owner.query("SELECT count(*) FILTER (WHERE needs_notify) FROM settled.node").one(Int64.self)
        == Int64(nodes)
    }
    let times = seconds * 1000 / kind.milliseconds
    let (rest, _) = try await transactions(cluster, kind, times) {}
    if kind == .ticks { try await owner.execute(Self.schedule) }
    let (busy, ticks) = try await transactions(cluster, kind, times) {
      if kind == .writes { try await owner.execute("UPDATE racing.race SET ends_at = ends_at WHERE id % 50 = 1") }
    }
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons where try await daemon.exit() != .code(0) {
      throw BenchError("a daemon failed: \(daemon.errors.text)")
    }
    await owner.close()
    return kind == .ticks
      ? Double(busy - rest) / Double(max(1, ticks)) : Double(busy - rest) / Double(times) - 1
  }

  /// As another database sees them, while `act` is done so many times; the server counts a session's within 10 s.
  ///
  /// Returns the ticks that ran meanwhile, too.
  private func transactions(
    _ cluster: BenchCluster, _ kind: Kind, _ times: Int, _ act: () async throws -> Void
  ) async throws -> (transactions: Int64, ticks: Int64) {
    let other = try await cluster.connect("postgres")
    let count: Statement = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'nodes'"
    try await Host.timekeeper.sleep(.seconds(11))
    let before = try await other.query(count).one(Int64.self)
    let start = try await other.query("SELECT clock_timestamp()").one(Timestamp.self)
    for _ in 0..<times {
      try await act()
      try await Host.timekeeper.sleep(.milliseconds(kind.milliseconds))
    }
    try await Host.timekeeper.sleep(.seconds(11))
    let after = try await other.query(count).one(Int64.self)
    let end = try await other.query("SELECT clock_timestamp()").one(Timestamp.self)
    await other.close()
    let session = try await cluster.connect("nodes")
    let ticks = try await session.query(
      "SELECT count(*) FROM settled.occurrence WHERE status = 'ran' AND finished_at BETWEEN \(start) AND \(end)"
    ).one(Int64.self)
    await session.close()
    return (after - before, ticks)
  }

  private static let schedule: Statement = """
    WITH now AS (SELECT date_trunc('second', clock_timestamp()) AS now), period AS (
      INSERT INTO settled.schedule_period (schedule, cron, zone, valid_from)
      SELECT 'bench', '*/2 * * * * *', 'UTC', now FROM now
    )
    INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
    SELECT 'bench', '*/2 * * * * *', 'UTC', 'public.tick()', 'once', '5 minutes', '0', now, now + interval '1 second'
    FROM now
    """

  enum Kind: String, CaseIterable {
    case ticks, writes

    /// The time between two of them.
    var milliseconds: Int { self == .ticks ? 2000 : 500 }
  }
}
