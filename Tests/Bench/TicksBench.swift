import Engine
import Figures
import HostProcess
import HostClock
import Postgres
import TestSupport

/// `deploy/bench ticks`: how late the runs of schedules are that tick 500 times in a minute.
///
/// With fewer instants the time is shorter.
struct TicksBench {
  let repetitions: Int
  /// Whether peers serve the races too, and pg_cron schedules.
  let hasPeers: Bool
  let instants: Int

  private static let database = "ticks"
  /// Between two instants, on average.
  private static let interval = 0.12

  func run() async throws -> Report {
    try await BenchCluster.with(hasCron: hasPeers) { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    if hasPeers { try await PgCron.install(on: cluster) }
    for kind in Kind.allCases {
      for repetition in 1...repetitions {
        note("\(kind.rawValue): repetition \(repetition) of \(repetitions)")
        let lateness = try await lateness(of: kind, on: cluster).sorted()
        report.add("\(kind.rawValue): lateness p50", "ms", lateness.at(0.5), target: kind == .races ? 5 : 10)
        report.add("\(kind.rawValue): lateness p99", "ms", lateness.at(0.99), target: kind == .races ? 15 : 25)
        report.add("\(kind.rawValue): lateness max", "ms", lateness.at(1))
        if kind == .races { try await compareLoop(lateness, on: cluster, into: &report) }
        if hasPeers { try await comparePeers(kind, lateness, on: cluster, into: &report) }
      }
    }
    return report
  }

  /// The floor: a loop that sleeps until the next race is due, and settles it with one statement.
  private func compareLoop(_ own: [Double], on cluster: BenchCluster, into report: inout Report) async throws {
    note("races: bare loop")
    let loop = try await loopLateness(on: cluster).sorted()
    report.add("races, bare loop: lateness p50", "ms", loop.at(0.5))
    report.add("races, bare loop: lateness p99", "ms", loop.at(0.99))
    report.add("races: lateness p50 less the bare loop's", "ms", own.at(0.5) - loop.at(0.5), target: 1)
    report.add("races: lateness p99 / bare loop", "x", own.at(0.99) / loop.at(0.99), target: 1.5)
  }

  private func comparePeers(
    _ kind: Kind, _ own: [Double], on cluster: BenchCluster, into report: inout Report
  ) async throws {
    var others: [(name: String, lateness: [Double])] = []
    switch kind {
    case .races:
      for peer in Peer.allCases {
        note("races: \(peer.rawValue)")
        others.append((peer.rawValue, try await lateness(of: peer, on: cluster).sorted()))
      }
    case .schedules:
      note("schedules: pg_cron")
      others.append(("pg_cron", try await PgCron.minute(on: cluster).sorted()))
    }
    for (name, lateness) in others {
      report.add("\(kind.rawValue), \(name): lateness p50", "ms", lateness.at(0.5))
      report.add("\(kind.rawValue), \(name): lateness p99", "ms", lateness.at(0.99))
    }
    for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
      let best = others.map { $0.lateness.at(part) }.min() ?? .nan
      report.add("\(kind.rawValue): lateness \(name) / best peer", "x", own.at(part) / best, target: 1)
    }
  }

  /// Of a daemon process: the lateness of each instant in milliseconds, by the log's time of its commit.
  private func lateness(of kind: Kind, on cluster: BenchCluster) async throws -> [Double] {
    let owner = try await prepare(cluster)
    let daemon = try await cluster.daemon(on: Self.database, seenBy: owner)
    try await kind.plan(owner, in: 3, seconds: seconds)
    let lateness = try await served(kind, owner)
    try await daemon.end()
    await owner.close()
    return lateness
  }

  private func loopLateness(on cluster: BenchCluster) async throws -> [Double] {
    let owner = try await prepare(cluster)
    try await Peer.prepare(owner)
    try await Kind.races.plan(owner, in: 3, seconds: seconds)
    let races = try await owner.query(
      """
      SELECT id, (1e6 * extract(epoch FROM due_at - clock_timestamp()))::bigint FROM racing.race WHERE status = 'ended'
      ORDER BY due_at
      """
    ).decode(Int64.self, Int64.self)
    let planned = Host.timekeeper.now()
    let client = try await cluster.connect(Self.database)
    for (race, dueIn) in races {
      let wait = planned + .microseconds(dueIn) - Host.timekeeper.now()
      if wait > .zero { try await Host.timekeeper.sleep(wait) }
      _ = try await client.query("SELECT public.peer_run(\(race))")
    }
    await client.close()
    let lateness = try await served(.races, owner)
    await owner.close()
    return lateness
  }

  /// The same of a peer's worker, with a job for each race.
  private func lateness(of peer: Peer, on cluster: BenchCluster) async throws -> [Double] {
    let owner = try await prepare(cluster)
    try await Peer.prepare(owner)
    let program = PeerProgram(peer: peer, cluster: cluster, database: Self.database, mode: .ticks)
    try await program.install()
    let worker = try await program.work()
    try await Kind.races.plan(owner, in: 15, seconds: seconds)
    try await owner.execute("INSERT INTO public.peer_job SELECT id, due_at FROM racing.race WHERE status = 'ended'")
    try await program.enqueue(owner)
    let lateness = try await served(.races, owner)
    try await program.end(worker)
    await owner.close()
    return lateness
  }

  private var seconds: Double { Double(instants) * Self.interval }

  private func prepare(_ cluster: BenchCluster) async throws -> Connection {
    try await cluster.make(Self.database)
    let owner = try await cluster.connect(Self.database)
    _ = try await Herd(races: instants, entries: 10).write(owner)
    try await owner.script(
      """
      UPDATE racing.race SET due_at = clock_timestamp() + interval '1 day', next_check_at = clock_timestamp()
        + interval '2 days';
      CREATE FUNCTION public.tick() RETURNS void LANGUAGE sql AS '';
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
    return owner
  }

  /// Waits until all instants are served.
  private func served(_ kind: Kind, _ owner: Connection) async throws -> [Double] {
    // Rarely asked, so that asking does not disturb.
    let end = ContinuousClock.now + .seconds(135)
    var lateness: [Double] = []
    repeat {
      try await Host.timekeeper.sleep(.seconds(2))
      lateness = try await owner.query(kind.lateness).decode(Double.self)
    } while lateness.count < instants && ContinuousClock.now < end
    guard lateness.count >= instants else { throw BenchError("only \(lateness.count) instants were served") }
    return Array(lateness.prefix(instants))
  }

  enum Kind: String, CaseIterable {
    /// Races of ten entries, each due at an instant of its own, drawn at random.
    case races
    /// Fifty operators' schedules, each every six seconds: eight or nine ticks on each second.
    case schedules

    /// Puts the instants of races into the `seconds` that begin in `delay` seconds; those of schedules begin at once.
    func plan(_ owner: Connection, in delay: Int, seconds: Double) async throws {
      switch self {
      case .races:
        try await owner.execute(
          """
          WITH due AS (
            SELECT id, clock_timestamp() + \(delay) * interval '1 second'
              + random() * \(seconds) * interval '1 second' AS at
            FROM racing.race
            WHERE status = 'ended'
          )
          UPDATE racing.race AS r SET due_at = due.at, next_check_at = due.at FROM due WHERE r.id = due.id
          """)
      case .schedules:
        try await owner.execute(
          """
          WITH tick(name, cron, now) AS (
            SELECT 'bench-' || n, n % 6 || '/6 * * * * *', date_trunc('second', clock_timestamp())
            FROM generate_series(1, 50) AS n
          ), period AS (
            INSERT INTO settled.schedule_period (schedule, cron, zone, valid_from)
            SELECT name, cron, 'UTC', now FROM tick
          )
          INSERT INTO settled.schedule (name, cron, zone, call, missed, timeout, splay, cursor_at, next_tick_at)
          SELECT name, cron, 'UTC', 'public.tick()', 'once', '5 minutes', '0', now, now + interval '1 second' FROM tick
          """)
      }
    }

    /// The lateness of every instant that was served, in order.
    var lateness: Statement {
      switch self {
      case .races:
        """
        SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(s.xmin) - r.due_at)::double precision
        FROM racing.settlement AS s JOIN racing.race AS r ON r.id = s.race_id ORDER BY r.due_at
        """
      case .schedules:
        """
        SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(xmin) - instant)::double precision
        FROM settled.occurrence WHERE schedule LIKE 'bench%' AND status = 'ran' ORDER BY instant, id
        """
      }
    }
  }
}
