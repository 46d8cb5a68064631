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
      for nodes in [1, 2, 4, 8, 16] where nodes <= max(2, scale.largest) {
        for repetition in scale.repetitions(at: nodes) {
          note("\(nodes) nodes: repetition \(repetition)")
          let cost = try await bench.cost(of: .ticks, nodes: nodes, on: cluster)
          report.grow("transactions of a tick", "transactions", cost, at: nodes, "nodes", target: Self.target)
        }
      }
      return report
    }
  }
}
