import Engine
import HostProcess
import HostClock
import Postgres
import TestSupport

/// `deploy/bench idle`: what a daemon costs that has 96 running races, people in every zone, and nothing to do.
struct IdleBench {
  let seconds: Int
  let repetitions: Int
  /// Whether the peers' workers rest too, without a job.
  let hasPeers: Bool

  private static let database = "idle"

  func run() async throws -> Report {
    // Its vacuum workers would count as transactions of the database.
    try await BenchCluster.with(autovacuum: false, hasCron: hasPeers) { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    if hasPeers { try await PgCron.install(on: cluster) }
    try await cluster.make(Self.database)
    let owner = try await cluster.connect(Self.database)
    _ = try await Herd(races: 96, entries: 100).write(owner, status: "active")
    try await owner.execute(
      """
      UPDATE racing.race SET ends_at = clock_timestamp() + interval '1 day', due_at = clock_timestamp()
        + interval '25 hours', next_check_at = clock_timestamp() + interval '25 hours'
      """)
    try await owner.execute("SELECT checkins.onboard('person in ' || name, name) FROM settled.time_zone")
    try await owner.execute("VACUUM (ANALYZE)")
    await owner.close()
    // It also installs the daemon's own schedules.
    let (daemon, milliseconds) = try await start(on: cluster)
    report.add("first start on a database to READY", "ms", milliseconds)
    try await daemon.end()
    for repetition in 1...repetitions {
      note("idle: repetition \(repetition) of \(repetitions)")
      try await rest(on: cluster, into: &report)
      for peer in hasPeers ? Peer.allCases : [] {
        note("idle: \(peer.rawValue)")
        try await rest(peer, on: cluster, into: &report)
      }
      if hasPeers {
        note("idle: pg_cron")
        let launcher = try await PgCron.rest(on: cluster)
        report.add("pg_cron", try await cost(of: launcher, on: cluster, PgCron.database))
      }
    }
    return report
  }

  private func rest(on cluster: BenchCluster, into report: inout Report) async throws {
    let (daemon, milliseconds) = try await start(on: cluster)
    report.add("start to READY", "ms", milliseconds, target: 100)
    try await passTicks(on: cluster)
    let cost = try await cost(of: daemon.pid, on: cluster, Self.database)
    report.add("transactions a second", "1/s", cost.transactions, target: 0.1)
    report.add("processor", "%", cost.processor, target: 0.1)
    report.add("resident", "MB", cost.megabytes, target: 40)
    try await daemon.end()
  }

  /// Waits until no schedule of the daemon ticks in the measured time.
  private func passTicks(on cluster: BenchCluster) async throws {
    let owner = try await cluster.connect(Self.database)
    while true {
      let next = try await owner.query(
        "SELECT (1e6 * extract(epoch FROM min(next_tick_at) - clock_timestamp()))::bigint FROM settled.schedule"
      ).one(Int64?.self)
      guard let next, .microseconds(next) < .seconds(seconds + 15) else { break }
      note("idle: a schedule ticks before")
      try await Host.timekeeper.sleep(max(.zero, .microseconds(next)) + .seconds(3))
    }
    await owner.close()
  }

  /// Starts a daemon; returns it with the milliseconds until READY.
  private func start(on cluster: BenchCluster) async throws -> (SettledProcess, Double) {
    let manager = NotifyListener()
    let started = ContinuousClock.now
    let daemon = try SettledProcess(
      ["run"],
      [
        "SETTLED_DATABASE_URL": cluster.url(Self.database, user: "settled_daemon"), "SETTLED_NODE": "bench",
        "NOTIFY_SOCKET": manager.address,
      ])
    while manager.next()?.contains("READY=1") != true {
      guard started.duration(to: .now) < .seconds(20) else { throw BenchError("not ready: \(daemon.errors.text)") }
      try await Host.timekeeper.sleep(.milliseconds(1))
    }
    return (daemon, started.duration(to: .now) / .milliseconds(1))
  }

  private func rest(_ peer: Peer, on cluster: BenchCluster, into report: inout Report) async throws {
    let database = "idle_peer"
    try await cluster.make(database)
    let program = PeerProgram(peer: peer, cluster: cluster, database: database, mode: .idle)
    try await program.install()
    let worker = try await program.work()
    report.add(peer.rawValue, try await cost(of: worker.pid, on: cluster, database))
    try await program.end(worker)
  }

  fileprivate struct Cost {
    let transactions: Double
    /// In percent of one core.
    let processor: Double
    let megabytes: Double
  }

  private func cost(of pid: Int32, on cluster: BenchCluster, _ database: String) async throws -> Cost {
    // The server counts the start's transactions when a session has been idle for 10 s.
    try await Host.timekeeper.sleep(.seconds(12))
    let (before, usage) = (try await transactions(cluster, database), try ProcessUsage(pid: pid))
    try await Host.timekeeper.sleep(.seconds(seconds))
    let (after, later) = (try await transactions(cluster, database), try ProcessUsage(pid: pid))
    return Cost(
      transactions: Double(after - before) / Double(seconds),
      processor: 100 * (later.processor - usage.processor) / Double(seconds), megabytes: later.residentMegabytes)
  }

  /// As another database sees it, so that the question is not counted.
  private func transactions(_ cluster: BenchCluster, _ database: String) async throws -> Int64 {
    let other = try await cluster.connect("postgres")
    defer { Task { await other.close() } }
    return try await other.query(
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = \(database)"
    ).one(Int64.self)
  }
}

extension Report {
  fileprivate mutating func add(_ peer: String, _ cost: IdleBench.Cost) {
    add("\(peer): transactions a second", "1/s", cost.transactions)
    add("\(peer): processor", "%", cost.processor)
    add("\(peer): resident", "MB", cost.megabytes)
  }
}
