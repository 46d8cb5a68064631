import Engine
import Postgres

/// One run of a history: nodes over the model of the database, in virtual time.
final class World: @unchecked Sendable {
  /// After the last trouble the nodes have that time for what is left, and to fall asleep.
  static let quiet: Duration = .seconds(900)
  /// More steps than any instant has.
  private static let stepsAtOnce = 200_000

  let history: History
  let plant: Plant?
  let clock = Clockwork()
  let server: Server
  let checks: Checks
  private(set) var nodes: [SimulatedNode] = []
  /// Jobs whose tables cannot be polled now.
  var hidden: Set<String> = []
  /// How often the database was restored.
  private(set) var restores = 0
  /// How many jumps of the clock are to come back.
  var jumps = 0
  var chance: Chance
  private var keys: Int64 = 0
  private var saved: [Save] = []

  private struct Save {
    let at: Duration
    let model: DatabaseModel
    let book: ClockBook
    let items: [ItemID: Checks.Item]
  }

  /// The last acts, where they are wanted.
  private(set) var trace: [String] = []
  private let isTraced: Bool

  init(_ history: History, plant: Plant? = nil, isTraced: Bool = false) {
    (self.history, self.plant, self.isTraced) = (history, plant, isTraced)
    chance = Chance(history.seed, "world")
    server = Server(clock, Chance(history.seed, "server"))
    checks = Checks(server, nodes: history.nodes)
    for resource in 0..<Int64(Jobs.resources) { server.model.insert(.resource(resource), .resource(0)) }
  }

  func note(_ text: @autoclosure () -> String) {
    guard isTraced else { return }
    if trace.count > 2_000 { trace.removeFirst(1_000) }
    trace.append("\(clock.now.text)  \(text())")
  }

  func isPlanted(_ plant: Plant) -> Bool { self.plant == plant }

  /// Runs until something is wrong, or until the end.
  func run() {
    nodes = (0..<history.nodes).map { SimulatedNode("node\($0 + 1)", self) }
    checks.trouble(for: .zero)
    for (index, node) in nodes.enumerated() { clock.after(.milliseconds(100 * index)) { node.start() } }
    for entry in history.entries { clock.at(entry.at) { [self] in carryOut(entry.act) } }
    let end = history.length + Self.quiet
    lookAtNodes()
    lookAtClock()
    if history.entries.contains(where: { if case .restore = $0.act { true } else { false } }) { save() }
    var (moment, stepsThen) = (Duration.zero, 0)
    while checks.violation == nil, clock.step(until: end) {
      if clock.now > moment { (moment, stepsThen) = (clock.now, clock.steps) }
      if clock.steps - stepsThen > Self.stepsAtOnce { checks.fail("the nodes never come to rest") }
    }
    clock.finish()
    server.loseAll()
    clock.finish()
  }

  private func lookAtNodes() {
    clock.after(.seconds(10)) { [self] in
      guard !clock.isOver else { return }
      for node in nodes { node.look() }
      lookAtNodes()
    }
  }

  /// An operator accepts a clock that does not come back.
  private func lookAtClock() {
    clock.after(.seconds(20)) { [self] in
      guard !clock.isOver else { return }
      if jumps == 0, isClockWrong { acceptClock() }
      lookAtClock()
    }
  }

  private var isClockWrong: Bool { server.isClockOff(by: ClockJudge.jumpMax) }

  /// A node has a new baseline. One that has none while the clock is wrong, as after a restore, takes the clock for
  /// right, and stops it when it comes back.
  func baselineEstablished() {
    if isClockWrong { checks.trouble(for: history.length + Self.quiet, settling: Checks.long) }
  }

  /// Nothing can be accepted until a node has seen the jump, also after a further one: the rest of that would be less
  /// than a jump, and more than a host may differ.
  func acceptClock() {
    checks.trouble(for: .seconds(20), settling: Checks.long)
    let stops = nodes.compactMap { node -> Duration? in
      guard case .clockStop(let stop)? = server.model[.clockStop(node: node.name)], stop.bindsAll else { return nil }
      return stop.difference
    }
    let near = server.clockError - .seconds(1)...(server.clockError + .seconds(1))
    guard let difference = stops.first(where: near.contains) else { return }
    operate([.acceptClockStops, .notify("")]) { [self] in
      // A host that agrees with the accepted clock has to stay with it: its correction stops its node.
      if nodes.contains(where: { $0.hostLead != .zero }) {
        checks.trouble(for: history.length + Self.quiet, settling: Checks.long)
      }
      if isClockWrong { server.clockBook.accept(difference) }
      checks.clockAcceptedAt = clock.now
    }
  }

  private func save() {
    saved.append(Save(at: clock.now, model: server.model, book: server.clockBook, items: checks.items))
    clock.after(.seconds(5)) { [self] in if !clock.isOver { save() } }
  }

  func nextKeys(_ count: Int) -> [Int64] {
    defer { keys += Int64(count) }
    return (1...Int64(count)).map { keys + $0 }
  }

  /// The database becomes what it was so long ago, between two statements of all nodes.
  func restore(age: Duration, accepted: Duration) {
    server.loseAll()
    guard let save = saved.last(where: { $0.at <= clock.now - age }) ?? saved.first else { return }
    restores += 1
    server.model.restore(save.model)
    server.clockBook = save.book
    checks.trouble(for: accepted, settling: Checks.long)
    checks.restore(save.items)
    checks.restored = Jobs.careful
    // A pause of then would stand for ever.
    for job in Jobs.written where server.model[.pause(job: job)] == .pause(true) { resume(job) }
    acceptRestore(after: accepted)
  }

  /// An operator accepts the restore, once a node has seen it.
  private func acceptRestore(after span: Duration) {
    clock.after(span) { [self] in
      guard !clock.isOver else { return }
      checks.trouble(for: .seconds(10), settling: Checks.long)
      let isSeen = nodes.contains { server.model[.restoration(node: $0.name)] != nil }
      guard isSeen, nodes.allSatisfy({ $0.hasSeenRestore }) else { return acceptRestore(after: .seconds(5)) }
      operate([.acceptRestoration, .notify("")]) { [self] in checks.restored = [] }
    }
  }

  /// An operator's transaction, again and again until it is committed, also where the answer of that is lost.
  func operate(_ statements: [DatabaseModel.Statement], again: Bool = true, effect: @escaping () -> Void = {}) {
    let operation = Operation(Program(clock), statements, effect)
    clock.start { [self] in
      repeat {
        try? await carryOut(operation)
        guard again, !operation.isCommitted else { return }
        try? await operation.program.pause(.milliseconds(500))
      } while !clock.isOver
    }
  }

  private func carryOut(_ operation: Operation) async throws {
    let link = try await server.connect(operation.program)
    defer { server.lose(link) }
    try await server.transaction(link) {
      for statement in operation.statements { try await server.run(statement, link) }
      link.effects.append { operation.commit() }
    }
  }

  private final class Operation: @unchecked Sendable {
    let program: Program
    let statements: [DatabaseModel.Statement]
    private let effect: () -> Void
    private(set) var isCommitted = false

    init(_ program: Program, _ statements: [DatabaseModel.Statement], _ effect: @escaping () -> Void) {
      (self.program, self.statements, self.effect) = (program, statements, effect)
    }

    func commit() {
      isCommitted = true
      effect()
    }
  }
}

extension DatabaseModel {
  /// Becomes what it was; sessions, ids and numbers are new ones.
  mutating func restore(_ earlier: DatabaseModel) {
    rows = earlier.rows
    rows.unlock()
  }
}
