import TestSupport
import Testing

/// A week in steps of ten minutes: who is connected when, what goes wrong, and what must be so after each step.
struct Campaign {
  static let step: Int64 = 600
  private static let stepsOfDay = 144
  /// Connections are made in the first hours, so that not all are due together.
  private static let stepsOfConnecting = 20
  private static let ampleLimit = 1_000_000

  /// The acts of an administrator, or of the machine, while calls are under way.
  private enum Blow: CaseIterable {
    case killOne, killBoth, restart, crash, shut, shutAndKill
  }

  /// The faults of the provider towards everybody for a while.
  enum Trouble: CaseIterable {
    case away, deniesClient, tooMany, tightLimit
  }

  let world: WeekWorld
  private let count: Int
  private let steps: Int
  private var random: SeededGenerator
  private let seed: String
  private(set) var model = WeekModel()
  private(set) var blows = 0
  private var now = World.start
  private var athletes: [Int64] = []
  /// By the step at which it begins.
  private var troubles: [Int: Trouble] = [:]
  private let faults: [ProviderSettings.Fault: Double] = [
    .slow: 0.05, .resetBefore: 0.05, .status500: 0.04, .resetAfter: 0.006, .truncate: 0.006, .wrongType: 0.006,
    .garbage: 0.006, .status503After: 0.006, .tooLarge: 0.006,
  ]

  init(_ world: WeekWorld, connections: Int, days: Int, _ random: SeededGenerator) async throws {
    (self.world, count, steps, self.random) = (world, connections, days * Self.stepsOfDay, random)
    seed = "\(random)"
    try await world.setClock(now)
    try await world.setLimit(Self.ampleLimit)
    try await world.provider.configure(ProviderSettings(delayMs: 3, slowMs: 150, seed: random.seed))
    planTroubles()
  }

  /// Each kind in turn: all of them where there is one day, and about three a day where there are more.
  private mutating func planTroubles() {
    var kinds: [Trouble] = []
    var begin = Self.stepsOfConnecting
    while begin < steps - 20 {
      if kinds.isEmpty { kinds = Trouble.allCases.shuffled(using: &random) }
      begin += Int.random(in: 4...9, using: &random)
      troubles[begin] = kinds.removeLast()
      begin += steps == Self.stepsOfDay ? 12 : 40
    }
  }

  mutating func run() async throws {
    var step = 0
    while step < steps {
      if let trouble = troubles[step] {
        let length = Int.random(in: 3...9, using: &random)
        try await suffer(trouble, steps: length)
        step += length
      } else {
        try await pass(step)
        step += 1
      }
    }
  }

  private func what(_ text: String) -> String { "\(seed), after \((now - World.start) / 60) minutes, \(text)" }

  // MARK: A step

  private mutating func pass(_ step: Int) async throws {
    if step < Self.stepsOfConnecting {
      let group = count * (step + 1) / Self.stepsOfConnecting - count * step / Self.stepsOfConnecting
      for _ in 0..<group { athletes.append(try await world.newAthlete()) }
      try await connect(Array(athletes.suffix(group)))
    } else if step % 12 == 0 {
      try await connect(model.lost.sorted())
    }
    let next = now + Self.step
    let due = try await world.due(at: next)
    try await world.provider.configure(ProviderSettings(faults: faults))
    if due > 0, Int.random(in: 0..<4, using: &random) == 0 {
      try await strike(at: next, due: due)
    } else {
      now = next
      try await world.setClock(now)
    }
    try await world.settle()
    try await check("a step", inTrouble: false)
  }

  /// The provider does nothing wrong meanwhile: a code whose reply is lost is another matter.
  private mutating func connect(_ some: [Int64]) async throws {
    guard !some.isEmpty else { return }
    try await world.provider.configure(ProviderSettings(faults: [:]))
    for athlete in some {
      try await world.connect(athlete)
      model.connected(athlete, at: now)
    }
    // Codes of one athlete are exchanged a minute apart, and some were lost just now.
    now += 60
    try await world.setClock(now)
    try await world.settle()
    try await check("connecting \(some)", inTrouble: false)
  }

  @discardableResult
  private mutating func check(_ text: String, inTrouble: Bool) async throws -> ProviderReport {
    let connections = try WeekModel.Connection.decode(try await world.ask(WeekModel.Connection.all))
    let report = try await world.provider.report()
    let wrong = model.check(connections, report, at: now, inTrouble: inTrouble)
    try #require(wrong.isEmpty, "\(what(text)): \(wrong)")
    return report
  }

  // MARK: Blows

  private mutating func strike(at next: Int64, due: Int) async throws {
    let blow = Blow.allCases.randomElement(using: &random) ?? .killOne
    let delay = Int.random(in: 20...120, using: &random)
    let before = try await world.provider.report().calls
    try await world.provider.configure(ProviderSettings(delayMs: delay))
    now = next
    try await world.setClock(now)
    let wanted = before + Int.random(in: 1...min(due, 8), using: &random)
    try await untilTrue("calls") { [world] in try await world.provider.report().calls >= wanted }
    for _ in 0..<Int.random(in: 0...delay / 8, using: &random) { try await pauseBetweenLooks() }
    let isOne = blow == .killOne || blow == .shutAndKill && Bool.random(using: &random)
    let victims = isOne ? [WeekWorld.nodes[Int.random(in: 0...1, using: &random)]] : WeekWorld.nodes
    switch blow {
    case .killOne, .killBoth: try await world.kill(victims)
    case .restart, .crash: try await world.restartDatabase(isCrash: blow == .crash)
    case .shut, .shutAndKill:
      try await world.setDatabase(open: false)
      try await world.untilReplied(within: .milliseconds(Int64(delay) + 300))
      if blow == .shutAndKill { try await world.kill(victims) }
      try await world.setDatabase(open: true)
    }
    try await world.provider.configure(ProviderSettings(delayMs: 3))
    if [.killOne, .killBoth, .shutAndKill].contains(blow) { try await recover(victims) }
    blows += 1
  }

  /// Killed nodes come again: before anybody has taken their leases over, or after.
  private mutating func recover(_ nodes: [String]) async throws {
    model.killed(inHand: try await world.inDeadHands())
    if nodes.count < WeekWorld.nodes.count, Bool.random(using: &random) { try await world.settleInTrouble() }
    for node in nodes { try world.start(node) }
  }

  // MARK: Troubles

  private mutating func killAll() async throws {
    try await world.kill(WeekWorld.nodes)
    model.killed(inHand: try await world.inDeadHands())
  }

  private mutating func suffer(_ trouble: Trouble, steps: Int) async throws {
    try await world.provider.configure(Self.settings(trouble, isOn: true))
    if trouble == .tightLimit { try await world.setLimit(max(4, count / 10)) }
    let before = try await world.provider.report()
    var (taken, isMet) = (0, false)
    while taken < steps || !isMet {
      try #require(taken < steps + Self.stepsOfDay, "\(what("\(trouble) met nobody"))")
      taken += 1
      // A node that waits for a window waits in real time, which another run does not.
      if trouble == .tightLimit { try await killAll() }
      now += Self.step
      // Both nodes may have had all their places filled when the first of them was told.
      if trouble == .tooMany { model.spentAllowed += 16 }
      try await world.setClock(now)
      let due = try await world.due(at: now)
      if trouble == .tightLimit { for node in WeekWorld.nodes { try world.start(node) } }
      try await world.settleInTrouble()
      let report = try await check("\(trouble)", inTrouble: true)
      switch trouble {
      case .away, .tightLimit: isMet = isMet || due > 0
      case .deniesClient: isMet = report.deniedClients > before.deniedClients
      case .tooMany: isMet = report.limited > before.limited
      }
    }
    // Pauses for the provider's sake are real time, too, and end with the run.
    try await killAll()
    try await world.provider.configure(Self.settings(trouble, isOn: false))
    if trouble == .tightLimit { try await world.setLimit(Self.ampleLimit) }
    // The limits that the provider told hold until the window is over.
    now = (now / 900 + 1) * 900
    try await world.setClock(now)
    for node in WeekWorld.nodes { try world.start(node) }
    try await world.settle()
    try await check("the end of \(trouble)", inTrouble: false)
    #expect(model.takeLongestWithout() <= Int64(taken) * Self.step, "\(what("\(trouble)"))")
  }

  private static func settings(_ trouble: Trouble, isOn: Bool) -> ProviderSettings {
    switch trouble {
    case .away: ProviderSettings(away: isOn)
    case .deniesClient: ProviderSettings(deniesClient: isOn)
    case .tooMany: ProviderSettings(tooMany: isOn)
    case .tightLimit: ProviderSettings()
    }
  }

  // MARK: The end

  /// In calm everybody connects again who was lost, and is refreshed once more with the token that we hold.
  mutating func end() async throws {
    try await connect(model.lost.sorted())
    try await world.provider.configure(ProviderSettings(faults: [:]))
    let before = try await world.provider.report()
    for _ in 0...Int(6 * World.hour / Self.step) {
      now += Self.step
      try await world.setClock(now)
      try await world.settle()
      try await check("the end", inTrouble: false)
    }
    let after = try await world.provider.report()
    #expect(model.lost.isEmpty, "\(seed)")
    #expect(after.refusedGrants == before.refusedGrants && after.undelivered == before.undelivered, "\(seed)")
    let stale = athletes.filter { athlete in
      let (old, new) = (before.athletes["\(1000 + athlete)"], after.athletes["\(1000 + athlete)"])
      return new?.alive != true || (new?.expiresAt ?? 0) <= (old?.expiresAt ?? 0)
    }
    #expect(stale.isEmpty && athletes.count == count, "\(seed)")
  }
}
