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
        note("nodes: repetition \(repetition) of \(repetitions)")
        let cases = Kind.allCases.flatMap { kind in Self.counts.map { (kind, $0) } }
        let costs = try await costs(of: cases, on: cluster)
        for (index, kind) in Kind.allCases.enumerated() {
          let own = Array(costs[(index * Self.counts.count)...].prefix(Self.counts.count))
          for (nodes, cost) in zip(Self.counts, own) {
            report.add("\(kind.rawValue): transactions each, nodes: \(nodes)", "", cost)
          }
          report.add("\(kind.rawValue): four nodes by one", "x", own[1] / own[0], target: 1.5)
        }
      }
      return report
    }
  }

  /// The transactions of each case. All run at the same time, each on a database of its own: transactions are counted,
  /// not time, and the server shows a session's within 10 s only.
  func costs(of cases: [(kind: Kind, nodes: Int)], on cluster: BenchCluster) async throws -> [Double] {
    var databases: [NodesDatabase] = []
    for (number, (kind, nodes)) in cases.enumerated() {
      databases.append(try await NodesDatabase("nodes_\(number)", kind, nodes: nodes, on: cluster))
    }
    for database in databases { try await database.untilAtRest() }
    let costs = try await withThrowingTaskGroup(of: (Int, Double).self) { group in
      for (number, database) in databases.enumerated() {
        group.addTask { [seconds] in (number, try await database.cost(seconds: seconds)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for database in databases { try await database.end() }
    return costs.sorted { $0.key < $1.key }.map(\.value)
  }

  enum Kind: String, CaseIterable {
    case ticks, writes

    /// The time between two of them.
    var milliseconds: Int { self == .ticks ? 2000 : 500 }
  }
}

/// A database with daemons that have nothing to do but what the benchmark makes.
private struct NodesDatabase {
  let name: String
  let kind: NodesBench.Kind
  let cluster: BenchCluster
  let owner: Connection
  let daemons: [SettledProcess]

  init(_ name: String, _ kind: NodesBench.Kind, nodes: Int, on cluster: BenchCluster) async throws {
    (self.name, self.kind, self.cluster) = (name, kind, cluster)
    try await cluster.make(name)
    owner = try await cluster.connect(name)
    _ = try await Herd(races: 50, entries: 10).write(owner, status: "active")
    try await owner.script(
      """
      UPDATE racing.race SET ends_at = clock_timestamp() + interval '1 day', due_at = clock_timestamp()
        + interval '25 hours', next_check_at = clock_timestamp() + interval '25 hours';
      CREATE FUNCTION public.tick() RETURNS void LANGUAGE sql AS '';
      """)
    daemons = try (1...nodes).map { number in
      try SettledProcess(
        ["run"],
        ["SETTLED_DATABASE_URL": cluster.url(name, user: "settled_daemon"), "SETTLED_NODE": "bench-\(number)"])
    }
  }

  func untilAtRest() async throws {
    try await untilTrue("the daemons' rest") {
      try await owner.query("SELECT count(*) FILTER (WHERE needs_notify) FROM settled.node").one(Int64.self)
        == Int64(daemons.count)
    }
  }

  func end() async throws {
    for daemon in daemons { daemon.terminate() }
    for daemon in daemons where try await daemon.exit() != .code(0) {
      throw BenchError("a daemon failed: \(daemon.errors.text)")
    }
    await owner.close()
  }

  /// The transactions of a tick, or of a write in addition to its own. Those of a time of rest are not counted.
  func cost(seconds: Int) async throws -> Double {
    let times = seconds * 1000 / kind.milliseconds
    let first = try await state()
    try await act(times) {}
    let second = try await state()
    if kind == .ticks { try await owner.execute(Self.schedule) }
    try await act(times) {
      if kind == .writes { try await owner.execute("UPDATE racing.race SET ends_at = ends_at WHERE id % 50 = 1") }
    }
    let third = try await state()
    let transactions = Double(third.transactions - second.transactions - (second.transactions - first.transactions))
    return kind == .ticks
      ? transactions / Double(max(1, third.ticks - second.ticks)) : transactions / Double(times) - 1
  }

  private func act(_ times: Int, _ body: () async throws -> Void) async throws {
    for _ in 0..<times {
      try await body()
      try await Host.timekeeper.sleep(.milliseconds(kind.milliseconds))
    }
  }

  /// How many transactions the database has had, as another one sees them, and how many ticks have run.
  private func state() async throws -> (transactions: Int64, ticks: Int64) {
    // The server counts a session's transactions within 10 s.
    try await Host.timekeeper.sleep(.seconds(11))
    let other = try await cluster.connect("postgres")
    let transactions = try await other.query(
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = \(name)"
    ).one(Int64.self)
    await other.close()
    let session = try await cluster.connect(name)
    let ticks = try await session.query("SELECT count(*) FROM settled.occurrence WHERE status = 'ran'").one(Int64.self)
    await session.close()
    return (transactions, ticks)
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
}
