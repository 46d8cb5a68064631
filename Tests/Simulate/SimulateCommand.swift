import ArgumentParser
import Simulation

@main struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy/simulate", abstract: "Run nodes in virtual time over the model of the database.",
    discussion: """
      Each seed is one history. With --seconds the seeds after it follow while there is time. A failing run prints its \
      seed and the shortest history found within 30 seconds more, and exits 1.
      """)

  @Option(help: "The first seed (random where it is left out).") var seed: UInt64?
  @Option(help: "How many seconds to run histories, of wall time; without it one.") var seconds: Int?
  @Option(help: "How many nodes each history has (1 to 4 where it is left out).") var nodes: Int?
  @Option(help: "A fault to plant: see --list.") var plant: String?
  @Flag(help: "List the faults that can be planted.") var list = false
  @Flag(help: "With --nodes alone: print what nodes cost without faults: statements, polls, notifications, lateness.")
  var cost = false

  func validate() throws {
    if let nodes, !(1...64).contains(nodes) { throw ValidationError("--nodes takes 1 to 64") }
    if cost, nodes == nil || seed != nil || seconds != nil || plant != nil {
      throw ValidationError("--cost takes --nodes, and no other option")
    }
    if let seconds, seconds < 0 { throw ValidationError("--seconds takes no negative number") }
    if let plant, Plant(rawValue: plant) == nil {
      throw ValidationError("no fault is named \(plant): --list shows them")
    }
  }

  func run() throws {
    guard !list else {
      for plant in Plant.allCases { print("\(plant.rawValue)\n  \(plant.text)") }
      return
    }
    if cost, let nodes {
      print(try CalmCost(nodes: nodes))
      return
    }
    let seed = seed ?? UInt64.random(in: 0...UInt64(UInt32.max))
    // A random seed is worth some of them.
    let span = Duration.seconds(seconds ?? (self.seed == nil ? 60 : 0))
    print("first seed \(seed)")
    var search = Search(plant: plant.flatMap { Plant(rawValue: $0) })
    let clock = ContinuousClock()
    let begin = clock.now
    let finding = search.search(from: seed, nodes: nodes, for: span)
    let elapsed = clock.now - begin
    let rate = Int(Double(search.steps) / max(0.001, elapsed / .seconds(1)) * 60)
    print("\(search.histories) histories, \(search.steps) steps, \(search.served) items served, \(rate) steps a minute")
    guard let finding else {
      if let plant { print("\(plant) was not found: --seconds tries more seeds") }
      return
    }
    print("seed \(finding.history.seed) fails \(finding.violation)")
    let shortest = search.shorten(finding, for: .seconds(30))
    print("the shortest history found fails \(shortest.violation)\n\(shortest.history)")
    print("the last actions of the nodes:\n\(shortest.trace.map { "  \($0)" }.joined(separator: "\n"))")
    throw ExitCode.failure
  }
}
