import Engine

/// Runs histories until one shows a violation, and finds the shortest history that does.
package struct Search {
  package struct Finding: Sendable {
    package let history: History
    package let violation: String
    /// The last actions of the nodes.
    package var trace: [String] = []
  }

  package private(set) var steps = 0
  package private(set) var histories = 0
  package private(set) var served = 0
  private let plant: Plant?
  private let clock = ContinuousClock()

  package init(plant: Plant? = nil) {
    self.plant = plant
  }

  /// Runs one history; returns what is wrong.
  package mutating func run(_ history: History) -> Finding? {
    let world = World(history, plant: plant)
    world.run()
    steps += world.clock.steps
    histories += 1
    served += world.checks.served
    return world.checks.violation.map { Finding(history: history, violation: $0) }
  }

  /// Runs the history of the seed, and those of the seeds after it while there is time.
  package mutating func search(from seed: UInt64, nodes: Int?, for span: Duration) -> Finding? {
    let begin = clock.now
    var seed = seed
    repeat {
      if let finding = run(History(seed: seed, nodes: nodes)) { return finding }
      seed &+= 1
    } while clock.now - begin < span
    return nil
  }

  /// Leaves out what the violation does not need: halves of the entries, quarters, and at last single ones.
  package mutating func shorten(_ finding: Finding, for span: Duration) -> Finding {
    let end = clock.now + span
    var best = finding
    while best.history.nodes > 1, clock.now < end {
      var fewer = best.history
      fewer.nodes -= 1
      guard let found = run(fewer) else { break }
      best = found
    }
    var size = max(1, best.history.entries.count / 2)
    while clock.now < end {
      var isShorter = false
      var from = 0
      while from < best.history.entries.count, clock.now < end {
        var shorter = best.history
        shorter.entries.removeSubrange(from..<min(from + size, shorter.entries.count))
        if let found = run(shorter) {
          best = found
          isShorter = true
        } else {
          from += size
        }
      }
      if size == 1, !isShorter { break }
      size = max(1, size / 2)
    }
    let world = World(best.history, plant: plant, isTraced: true)
    world.run()
    best.trace = world.trace.suffix(40)
    return best
  }
}
