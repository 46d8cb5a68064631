@testable import Engine
import Postgres
import TestSupport

/// Three nodes and a database whose clocks are stepped at random, beside the model of what they may do.
struct ClockWorld<Books: ClockBooks> {
  private struct Node {
    let name: String
    var boot = 1
    var bootedAt: Int
    /// How far the boot clock is behind, because the machine was paused.
    var paused = 0
    var judge: ClockJudge?

    func view(_ world: ClockWorld) -> Int { world.ahead + bootedAt + paused }
  }

  private(set) var books: Books
  private(set) var model = ClockModel()
  private var nodes: [Node]
  private var now = 0
  /// How far the database's clock is ahead.
  private var ahead = 0
  private var step = 0
  private var random: SeededGenerator
  private(set) var story: [String] = []
  /// The differences from the model.
  private(set) var faults: [String] = []

  init(_ books: Books, random: SeededGenerator) {
    self.books = books
    self.random = random
    nodes = ["a", "b", "c"].enumerated().map { Node(name: $1, bootedAt: -1000 * ($0 + 1)) }
  }

  private var sizes: [Int] { [1000, 7200, 259_200, 120] }

  private func reading(_ node: Node) -> ClockReading {
    let database = Timestamp(microseconds: Int64(1_900_000_000 + now + ahead) * 1_000_000)
    return ClockReading(database: database, boot: .seconds(now - node.bootedAt - node.paused), host: database)
  }

  /// Whether the node may settle something now.
  private func runs(_ node: Node) async throws -> Bool {
    let isClockStopped = try await books.record().isClockStopped
    return !isClockStopped && node.judge?.judge(reading(node)) == .agrees
  }

  mutating func poll(_ index: Int, isHeartbeat: Bool = true) async throws {
    step += 1
    var judge: ClockJudge
    if let known = nodes[index].judge {
      judge = known
    } else {
      judge = ClockJudge(
        node: nodes[index].name, bootId: "\(nodes[index].boot)",
        remembered: try await books.remembered(nodes[index].name))
      model.restart(nodes[index].name)
    }
    let node = nodes[index]
    let actions = judge.see(reading(node), try await books.record(), isHeartbeat: isHeartbeat)
    if let number = try await books.write(actions, node: node.name, bootId: "\(node.boot)") {
      judge.established(number)
    }
    nodes[index].judge = judge
    model.poll(
      node.name, boot: node.boot, view: node.view(self), time: now + ahead, step: step, isHeartbeat: isHeartbeat)
    let runs = try await runs(nodes[index])
    story.append("\(node.name) looks: \(actions.map(\.name)) runs \(runs)")
    if runs == model.isBound(node.name) {
      faults.append("look \(step): \(node.name) runs \(runs)")
      story.append("which the model does not say")
    }
  }

  /// One random thing that happens.
  mutating func happen() async throws {
    now += 10 * Int.random(in: 0...3, using: &random)
    let index = Int.random(in: nodes.indices, using: &random)
    let size = (sizes.randomElement(using: &random) ?? 1000) * (Bool.random(using: &random) ? 1 : -1)
    switch Int.random(in: 0..<24, using: &random) {
    case 0:
      ahead += size
      story.append("the database steps by \(size)")
    case 1:
      ahead = 0
      story.append("the database is repaired")
    case 2:
      let pause = Bool.random(using: &random) ? 1000 : 120
      now += pause
      nodes[index].paused += pause
      story.append("\(nodes[index].name) was paused for \(pause)")
    case 3:
      nodes[index].boot += 1
      nodes[index].bootedAt = now - 50
      nodes[index].paused = 0
      nodes[index].judge = nil
      story.append("\(nodes[index].name) reboots")
    case 4:
      nodes[index].judge = nil
      story.append("\(nodes[index].name) dies")
    case 5:
      try await books.accept()
      model.accept()
      story.append("an operator accepts")
    default:
      try await poll(index, isHeartbeat: Int.random(in: 0..<3, using: &random) > 0)
    }
  }

  /// All look, an operator accepts what they saw, all look again: everything must continue.
  mutating func settle() async throws {
    for round in 0..<3 {
      for index in nodes.indices { try await poll(index) }
      if round == 0 {
        try await books.accept()
        model.accept()
      }
    }
    for node in nodes where try await !runs(node) { faults.append("\(node.name) stays stopped after an acceptance") }
  }

  /// The database's clock steps, all see it, it is repaired, all look: everything must continue without an operator.
  mutating func repair(by size: Int) async throws {
    ahead += size
    for index in nodes.indices {
      try await poll(index)
      if abs(size) > 600, try await runs(nodes[index]) { faults.append("\(nodes[index].name) runs by a wrong clock") }
    }
    ahead -= size
    for _ in 0..<2 { for index in nodes.indices { try await poll(index) } }
    for node in nodes where try await !runs(node) { faults.append("\(node.name) stays stopped after a repair") }
  }
}

extension ClockAction {
  fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }
}
