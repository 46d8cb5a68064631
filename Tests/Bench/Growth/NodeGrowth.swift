/// `deploy/bench growth-nodes`: the transactions of one tick, by the number of daemons.
struct NodeGrowth {
  let scale: GrowthScale
  let seconds: Int

  /// Four nodes may cost 1.5 times the transactions of one.
  private static let target = 0.29

  func run() async throws -> Report {
    try await BenchCluster.with(autovacuum: false) { cluster in
      var report = Report()
      let bench = NodesBench(seconds: seconds, repetitions: scale.repetitions)
      let counts = [1, 2, 4, 8, 16].filter { $0 <= max(2, scale.largest) }
      for repetition in scale.repetitions(at: 1) {
        note("1 to \(counts.last ?? 1) nodes: repetition \(repetition)")
        let costs = try await bench.costs(of: counts.map { (.ticks, $0) }, on: cluster)
        for (nodes, cost) in zip(counts, costs) {
          report.grow("transactions of a tick", "transactions", cost, at: nodes, "nodes", target: Self.target)
        }
      }
      return report
    }
  }
}
