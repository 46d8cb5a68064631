import Engine

/// What a number of nodes costs in histories without faults: statements, polls and notifications, and lateness.
package struct CalmCost: Sendable {
  /// Of all nodes between two instants; apps' statements are not counted.
  package struct Count: Sendable {
    package var statements = 0
    package var polls = 0
    package var notifications = 0
    /// In order, of all items served.
    package var lateness: [Duration] = []

    package func lateness(at part: Double) -> Duration {
      lateness.isEmpty ? .zero : lateness[Int((Double(lateness.count - 1) * part).rounded(.up))]
    }
  }

  package let nodes: Int
  /// Ten minutes in which nothing is due.
  package let idle: Count
  /// 300 items of a job, one due each second.
  package let single: Count
  /// 10,000 items of a job, due at one instant.
  package let herd: Count

  package static let idleMinutes = 10.0
  package static let singleItems = 300
  package static let herdItems = 10_000
  private static let start: Duration = .seconds(120)

  /// Throws what is wrong with one of the histories.
  package init(nodes: Int) throws {
    self.nodes = nodes
    idle = try Self.count(nodes, [], for: .seconds(60) * Int(Self.idleMinutes))
    single = try Self.single(nodes: nodes, items: Self.singleItems)
    let herd = History.Entry(
      at: Self.start, act: .write(job: "chore", count: Self.herdItems, dueIn: .seconds(30), holds: .zero))
    self.herd = try Self.count(nodes, [herd], for: .seconds(60))
  }

  /// Items of a job, one due each second.
  package static func single(nodes: Int, items: Int) throws -> Count {
    let writes = (0..<items).map { second in
      History.Entry(
        at: start + .seconds(second), act: .write(job: "chore", count: 1, dueIn: .seconds(2), holds: .zero))
    }
    // The last item is due two seconds after its write.
    return try count(nodes, writes, for: .seconds(items + 3))
  }

  private static func count(_ nodes: Int, _ entries: [History.Entry], for span: Duration) throws -> Count {
    let world = World(History(seed: 1, nodes: nodes, entries: entries, length: start + span))
    var (before, after) = (Count(), Count())
    func read() -> Count {
      Count(
        statements: world.server.statements, polls: world.checks.polls, notifications: world.server.notified)
    }
    world.clock.at(start) { before = read() }
    world.clock.at(start + span) { after = read() }
    world.run()
    if let violation = world.checks.violation { throw Violation(description: violation) }
    return Count(
      statements: after.statements - before.statements, polls: after.polls - before.polls,
      notifications: after.notifications - before.notifications, lateness: world.checks.lateness.sorted())
  }

  private struct Violation: Error, CustomStringConvertible {
    let description: String
  }
}

extension CalmCost: CustomStringConvertible {
  package var description: String {
    let minutes = Self.idleMinutes
    func milliseconds(_ duration: Duration) -> Double { (duration / .microseconds(1)).rounded() / 1000 }
    func each(_ count: Int, _ items: Int) -> String { "\(Double(count * 100 / items) / 100)" }
    return """
      \(nodes) nodes
      idle: \(Double(idle.statements) / minutes) statements and \(Double(idle.polls) / minutes) polls a minute
      one item each second: \(each(single.statements, Self.singleItems)) statements, \
      \(each(single.polls, Self.singleItems)) polls and \(each(single.notifications, Self.singleItems)) notifications \
      for an item; lateness p50 \(milliseconds(single.lateness(at: 0.5))), p99 \
      \(milliseconds(single.lateness(at: 0.99))) ms
      \(Self.herdItems) items at one instant: \(herd.statements) statements, \(herd.polls) polls and \
      \(herd.notifications) notifications; the last after \(milliseconds(herd.lateness(at: 1))) ms
      """
  }
}
