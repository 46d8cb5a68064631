import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Simulation

/// The model of the database is held to PostgreSQL: random histories run on both, statement by statement, with the
/// product's own statements on a migrated database. Every answer, wait, error and notification agrees.
@Suite("The model and PostgreSQL") struct ConformanceTests {
  /// A few; all with SETTLED_SOAK, as `deploy/soak` sets it.
  private static let histories = ProcessInfo.processInfo.environment["SETTLED_SOAK"] == nil ? 60 : 500
  private static let acts = 32

  @Test(.timeLimit(.minutes(20)))
  func `random histories of sessions run on the model as on PostgreSQL`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let server = try await ServerWorld(in: cluster)
    let first = SeededGenerator()
    for acts in DirectedHistories.all { _ = try await History(first).run(acts, on: server) }
    var counts: [String: Int] = [:]
    for number in 0..<Self.histories {
      // The first history has the seed itself, so that it can be run alone.
      let random = SeededGenerator(seed: first.seed &+ UInt64(number))
      counts.merge(try await History(random).run(Self.acts, on: server), uniquingKeysWith: +)
    }
    await cluster.stop()
    // What the histories are for has come.
    for outcome in ["done", "waits", "notified", "failed 55P03", "failed 40P01", "failed 57014", "failed 25P02"] {
      #expect(counts[outcome, default: 0] > 0, "\(outcome) of \(counts), \(first)")
    }
  }
}

/// One history on both sides.
private struct History {
  private let random: SeededGenerator
  private var generator: HistoryGenerator
  private var world = ModelWorld()
  /// How often each kind of outcome came.
  private var counts: [String: Int] = [:]
  /// The acts so far: the shortest history that shows a difference.
  private var log: [String] = []

  init(_ random: SeededGenerator) {
    self.random = random
    generator = HistoryGenerator(random: random)
  }

  /// Runs these acts.
  func run(_ acts: [Act], on server: ServerWorld) async throws -> [String: Int] {
    try await run(on: server) { history in
      for act in acts { try await history.step(act, server) }
    }
  }

  /// Runs so many random acts; returns how often each kind of outcome came.
  func run(_ count: Int, on server: ServerWorld) async throws -> [String: Int] {
    try await run(on: server) { history in
      for _ in 0..<count {
        guard let next = history.generator.next(history.world) else { return }
        try await history.step(next.act, next.world, next.outcomes, server)
      }
    }
  }

  private func run(
    on server: ServerWorld, _ body: (inout History) async throws -> Void
  ) async throws -> [String: Int] {
    var history = self
    do {
      try await server.begin()
      for act in history.generator.opening() { try await history.step(act, server) }
      try await body(&history)
      try await history.close(server)
      return history.counts
    } catch {
      throw Difference("\(random): \(error)\n\(history.log.joined(separator: "\n"))")
    }
  }

  private mutating func close(_ server: ServerWorld) async throws {
    while let act = HistoryGenerator.closing(world) {
      var after = world
      let outcomes = after.apply(act)
      // Whoever wakes first, all of them are ended.
      guard !after.model.leftOrderOpen else { return try await server.closeAll() }
      try await step(act, after, outcomes, server)
    }
    for act in HistoryGenerator.questions { try await step(act, server) }
    let (found, expected) = (try await server.rows(), world.rows)
    guard found == expected else {
      let lines = Set(found).symmetricDifference(expected).sorted()
      throw Difference("the rows differ at the end: \(lines)")
    }
  }

  private mutating func step(_ act: Act, _ server: ServerWorld) async throws {
    var after = world
    let outcomes = after.apply(act)
    try await step(act, after, outcomes, server)
  }

  private mutating func step(
    _ act: Act, _ after: ModelWorld, _ outcomes: [Slot: String], _ server: ServerWorld
  ) async throws {
    world = after
    let text = "\(act): \(outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })"
    log.append(
      "\(log.count + 1). \(text.replacing(/\b(?:\w*Simulation\w*\.)?(?:DatabaseModel\.|Slot\.|Statement\.)+/, with: ""))"
    )
    for outcome in outcomes.values { counts[outcome.hasPrefix("done") ? "done" : outcome, default: 0] += 1 }
    if outcomes.values.contains("failed 40P01") { try await server.untilChecked() }
    try await server.carryOut(act, expecting: outcomes)
    let waiting = Dictionary(uniqueKeysWithValues: world.waiting.map { [world] in ($0, world.blockers(of: $0)) })
    try await server.expect(waiting: waiting)
    for slot in Slot.allCases where world.state(slot).isListening && world.state(slot).isIdle {
      let (found, expected) = (try await server.notifications(slot), world.takeNotifications(slot))
      guard found == expected else { throw Difference("\(slot) is notified of \(found), in the model of \(expected)") }
      counts["notified", default: 0] += found.count
    }
    let (oldest, next) = try await server.ids()
    guard oldest == world.model.ids.oldest, next == world.model.ids.next else {
      throw Difference(
        "ids are \(oldest) to \(next), in the model \(world.model.ids.oldest) to \(world.model.ids.next)")
    }
  }
}
