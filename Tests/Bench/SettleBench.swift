import Figures
import Glibc
import Postgres
import TestSupport

/// `deploy/bench settle`: a herd due at one instant, settled by the daemon and by one statement.
struct SettleBench {
  let shapes: [Shape]
  let repetitions: Int
  /// Whether peers settle the main shape too.
  let hasPeers: Bool

  /// The athletes of the history. They are the first, and in no race that is still to be settled.
  private static let others = 10

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    for shape in shapes {
      let herd = "herd_\(shape)"
      note("\(shape): writing the herd")
      try await cluster.make(herd)
      let owner = try await cluster.connect(herd)
      // A history: plans that are made for empty tables say nothing of a service that runs.
      _ = try await Herd(races: 1000, entries: Self.others).write(owner)
      try await owner.execute(HandStatement.settle)
      _ = try await Herd(races: shape.races, entries: shape.entries, athletes: max(shape.entries, 100)).write(owner)
      // Not due yet: a daemon shall start, rest, and be woken.
      try await owner.execute(
        """
        UPDATE racing.race SET due_at = clock_timestamp() + interval '1 day',
          next_check_at = clock_timestamp() + interval '2 days'
        WHERE status = 'ended'
        """)
      try await owner.execute("VACUUM (FREEZE, ANALYZE)")
      await owner.close()
      for repetition in 1...repetitions {
        note("\(shape): repetition \(repetition) of \(repetitions)")
        let own = try await compare(shape, herd, on: cluster, into: &report)
        if shape.isMain, hasPeers { try await comparePeers(own, shape, herd, on: cluster, into: &report) }
        if shape.isMain { try await settleWithDeposits(shape, herd, on: cluster, into: &report) }
      }
    }
    return report
  }

  /// Returns the run of the daemon.
  private func compare(
    _ shape: Shape, _ herd: String, on cluster: BenchCluster, into report: inout Report
  ) async throws -> SettleRun {
    try await cluster.copy("run", from: herd)
    let statement = try await SettleRun.statement(cluster, "run")
    try await cluster.copy("run", from: herd)
    let daemon = try await SettleRun.daemon(cluster, "run", shape: shape)
    guard daemon.digest == statement.digest else {
      throw BenchError("the daemon and the statement differ: \(daemon.digest) and \(statement.digest)")
    }
    report.add("\(shape) one statement", "ms", statement.last)
    report.add("\(shape) first commit", "ms", daemon.first, target: shape.isMain ? 25 : nil)
    report.add("\(shape) last commit", "ms", daemon.last)
    report.add("\(shape) last commit / statement", "x", daemon.last / statement.last, target: shape.isMain ? 1.3 : nil)
    report.add("\(shape) WAL / statement", "x", daemon.log / statement.log, target: shape.isMain ? 1.2 : nil)
    let entries = Double(shape.races * shape.entries)
    report.add("\(shape) cost of an entry", "us", daemon.last * 1000 / entries)
    if !shape.isMain, shapes.contains(where: \.isMain) {
      let ratio = daemon.last * 1000 / entries / report.median("\(Shape.main) cost of an entry")
      report.add("\(shape) cost of an entry / \(Shape.main)", "x", ratio, target: 2)
    }
    report.add("\(shape) processor: the daemon", "ms", daemon.processor)
    report.add("\(shape) processor: its server", "ms", daemon.serverProcessor)
    report.add("\(shape) processor: the statement", "ms", statement.serverProcessor)
    for part in daemon.parts { report.add("\(shape) server: \(part.name)", "ms", part.milliseconds) }
    return daemon
  }

  /// With one lane and with two, so that the deposits beside them are compared in one run: deposits of the herd's
  /// athletes, whose wallets the batches lock, and of athletes who are in no race that is settled.
  private func settleWithDeposits(
    _ shape: Shape, _ herd: String, on cluster: BenchCluster, into report: inout Report
  ) async throws {
    let (others, all) = (Int64(Self.others), Int64(Self.others + max(shape.entries, 100)))
    for (callers, ids) in [("deposits", others + 1...all), ("deposits of others", 1...others)] {
      var p99: [Double] = []
      for lanes in [1, 2] {
        try await cluster.copy("run", from: herd)
        let run = try await SettleRun.daemon(cluster, "run", shape: shape, depositsOf: ids, lanes: lanes)
        let times = run.deposits.sorted()
        let name = "\(shape) with \(callers), lanes: \(lanes)"
        report.add("\(name): last commit", "ms", run.last)
        report.add("\(name): deposit p50", "ms", times.at(0.5))
        report.add("\(name): deposit p99", "ms", times.at(0.99), target: 150)
        report.add("\(name): deposits made", "", Double(times.count))
        p99.append(times.at(0.99))
      }
      report.add("\(shape) \(callers): p99, two lanes / one", "x", p99[1] / p99[0], target: 1.2)
    }
  }

  /// Each peer settles a copy of the same database, with the same results.
  private func comparePeers(
    _ own: SettleRun, _ shape: Shape, _ herd: String, on cluster: BenchCluster, into report: inout Report
  ) async throws {
    try await cluster.copy("run", from: herd)
    let calls = try await SettleRun.calls(cluster, "run")
    guard calls.digest == own.digest else { throw BenchError("the daemon and the calls differ") }
    report.add("\(shape) one call per race: last commit", "ms", calls.last)
    var best = SettleRun(first: .infinity, last: .infinity)
    for peer in Peer.allCases {
      note("\(shape): \(peer.rawValue)")
      try await cluster.copy("run", from: herd)
      let run = try await SettleRun.peer(peer, cluster, "run")
      guard run.digest == own.digest else { throw BenchError("the daemon and \(peer.rawValue) differ") }
      report.add("\(shape) \(peer.rawValue): first commit", "ms", run.first)
      report.add("\(shape) \(peer.rawValue): last commit", "ms", run.last)
      report.add("\(shape) \(peer.rawValue): processor", "ms", run.processor)
      (best.first, best.last) = (min(best.first, run.first), min(best.last, run.last))
    }
    report.add("\(shape) first commit / best peer", "x", own.first / best.first, target: 1)
    report.add("\(shape) last commit / best peer", "x", own.last / best.last, target: 0.9)
  }
}

/// Progress, apart from the figures; shown immediately, also in a file.
func note(_ text: String) {
  print("# \(text)")
  fflush(nil)
}
