import Simulation

/// `deploy/bench growth-simulated-nodes`: the statements of nodes in virtual time, by their number.
struct SimulatedNodeGrowth {
  let largest: Int

  func run() throws -> Report {
    var report = Report()
    report.server = "without a server"
    for nodes in [1, 4, 16, 64] where nodes <= largest {
      note("\(nodes) nodes")
      let cost = try CalmCost(nodes: nodes)
      report.grow(
        "statements of an item", "statements", Double(cost.single.statements) / Double(CalmCost.singleItems),
        at: nodes, "nodes", target: GrowthScale.proportional)
      report.grow(
        "statements of an idle minute", "statements", Double(cost.idle.statements) / CalmCost.idleMinutes, at: nodes,
        "nodes", target: GrowthScale.proportional)
      report.add("\(nodes) nodes: lateness p50", "ms", cost.single.lateness(at: 0.5) / .milliseconds(1))
      report.add("\(nodes) nodes: lateness p99", "ms", cost.single.lateness(at: 0.99) / .milliseconds(1))
      report.add("\(nodes) nodes: 10,000 items, last", "ms", cost.herd.lateness(at: 1) / .milliseconds(1))
    }
    return report
  }
}
