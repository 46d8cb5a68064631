import Postgres
import TestSupport

@testable import Simulation

/// Random histories: each act is one that the model can take, and in which PostgreSQL leaves no order open.
struct HistoryGenerator {
  var random: SeededGenerator

  /// The next act, with the world after it and what it lets end. Half of them meet another session, where one is found.
  mutating func next(_ world: ModelWorld) -> (act: Act, world: ModelWorld, outcomes: [Slot: String])? {
    let meetings = below(2) * 100
    for number in 0..<300 {
      let act = propose(world)
      var after = world
      let outcomes = after.apply(act)
      guard !after.model.leftOrderOpen, isDetermined(act, world, outcomes) else { continue }
      let meets = outcomes.count > 1 || ["waits", "failed 40P01", "failed 55P03"].contains(outcomes[act.slot])
      guard meets || number >= meetings else { continue }
      return (act, after, outcomes)
    }
    return nil
  }

  /// Both nodes come up, and mostly remove the mark of the one that is gone.
  mutating func opening() -> [Act] {
    let acts: [Act] = [
      .run(.listener, .addNode("a")), .run(.listener, .takeName("a", last: nil)), .run(.listener, .listen),
      .run(.a, .register("a")), .run(.b, .addNode("b")), .run(.b, .takeName("b", last: nil)), .run(.b, .register("b")),
      .run(.a, .setNeedsNotify("a", below(2) == 0)),
    ]
    return below(4) == 0 ? acts : acts + [.run(.b, .beat("b", state: "ready", needsNotify: false))]
  }

  /// What the gates and a poll say at the end.
  static let questions: [Act] =
    Beginning.jobs.flatMap { job in [false, true].map { .run(.a, .gate(job: job, ignoresClockStop: $0)) } } + [
      .run(.a, poll)
    ]

  static let poll = DatabaseModel.Statement.poll([
    .init("chore"), .init("errand", leaseOverdue: Beginning.leaseOverdue),
  ])

  /// Acts that end everything which is open, one by one.
  static func closing(_ world: ModelWorld) -> Act? {
    if let slot = world.waiting.last { return .cancel(slot) }
    return Slot.allCases.first { world.state($0).block != .closed }.map { .rollback($0) }
  }

  /// Whether both sides must agree on what an act does.
  private func isDetermined(_ act: Act, _ world: ModelWorld, _ outcomes: [Slot: String]) -> Bool {
    guard let statement = act.statement else { return true }
    let state = world.state(act.slot)
    let waits = ["waits", "failed 55P03", "failed 40P01"].contains(outcomes[act.slot])
    switch statement {
    // A number of a sequence gives a transaction its id now and then.
    case .takeLeases: return state.transaction.id != nil
    case .recordFailure, .recordDelay, .stopJobs: return !waits || state.transaction.id != nil
    // The server looks at the sessions once in a transaction.
    case .poll: return state.block == .closed
    case .takeName: return !world.hasLooked.contains(act.slot)
    // The order of their rows is that of the table's pages.
    case .beat: return state.block == .closed && (!waits || isOfOneRow(statement, act.slot, world))
    case .acceptClockStops, .acceptRestoration: return !waits || isOfOneRow(statement, act.slot, world)
    default: return true
    }
  }

  private func isOfOneRow(_ statement: DatabaseModel.Statement, _ slot: Slot, _ world: ModelWorld) -> Bool {
    world.model.plan(statement, for: world.session(slot)).steps.count <= 1
  }

  private mutating func propose(_ world: ModelWorld) -> Act {
    let slot = Slot.allCases[below(Slot.allCases.count)]
    if world.waiting.contains(slot) {
      // Most waits are to last for some acts.
      guard below(3) == 0 else { return propose(world) }
      return below(3) == 0 ? .lose(slot) : .cancel(slot)
    }
    if below(60) == 0 { return .lose(slot) }
    switch world.state(slot).block {
    case .failed: return below(2) == 0 ? .rollback(slot) : .commit(slot)
    case .closed:
      if slot == .listener { return .run(slot, world.state(slot).isListening ? ofNode(slot, world) : .listen) }
      return below(5) < 3 ? .begin(slot) : .run(slot, statement(slot, world))
    case .open:
      let choice = below(24)
      if choice < 4 { return .commit(slot) }
      if choice == 4 { return .rollback(slot) }
      if choice == 5 { return .loseCommit(slot) }
      if choice < 9 { return .runImpatiently(slot, statement(slot, world)) }
      return .run(slot, statement(slot, world))
    }
  }

  private mutating func statement(_ slot: Slot, _ world: ModelWorld) -> DatabaseModel.Statement {
    if slot.node.isEmpty { return below(2) == 0 ? ofResource() : ofWriter(slot, world) }
    // Whether the nodes are woken depends on the transaction's own mark.
    if world.hasWrittenNode(slot), below(3) == 0 { return .clearFailures(job: job(), keys: [key()]) }
    switch below(12) {
    case 0, 1: return ofClaim()
    case 2, 3: return ofClaimed(slot, world)
    case 4: return ofFailure()
    case 5: return ofLease(slot, world)
    case 6, 10: return ofNode(slot, world)
    case 7, 8: return ofResource()
    case 9: return below(4) == 0 ? .untilNext(job: "chore") : Self.poll
    default: return ofGate(slot)
    }
  }

  // MARK: Kinds

  private mutating func ofWriter(_ slot: Slot, _ world: ModelWorld) -> DatabaseModel.Statement {
    if let id = world.deleted(by: slot), below(2) == 0 {
      return .schedule(job: id.job, key: id.key, dueAt: Instant.hour(Int64(below(2)) - 1))
    }
    switch below(10) {
    case 0, 1, 2, 3:
      let hour = Int64(below(8)) - 4
      return .schedule(job: job(), key: Int64(1 + below(7)), dueAt: Instant.hour(hour))
    case 4: return .remove(job: job(), key: key())
    case 5: return .setClock(Instant.hour(Int64(below(4))))
    case 6: return .notify(below(2) == 0 ? "" : "x")
    case 7: return .clearFailures(job: job(), keys: [key()])
    case 8: return .endBackoff(job: job(), key: key())
    default: return ofGate(slot)
    }
  }

  private mutating func ofResource() -> DatabaseModel.Statement {
    let keys = Array(Beginning.resources)
    switch below(3) {
    case 0: return .lockResources(keys)
    case 1: return .lockResources([keys[below(keys.count)]])
    default: return .add(1, resource: keys[below(keys.count)])
    }
  }

  private mutating func ofClaim() -> DatabaseModel.Statement {
    let job = job()
    var claim = DatabaseModel.Claim(job, limit: 1 + below(3), isLeased: job == "errand")
    switch below(6) {
    case 0: claim.mode = .peek
    case 1, 2: claim.mode = .wait
    default: break
    }
    switch below(5) {
    case 0:
      claim.only = key()
      claim.limit = 1
    case 1: claim.except = [key()]
    case 2: claim.among = [key(), key(), key()]
    default: break
    }
    return .claim(claim)
  }

  /// What follows a claim in its transaction.
  private mutating func ofClaimed(_ slot: Slot, _ world: ModelWorld) -> DatabaseModel.Statement {
    let (job, keys) = world.claimed[slot] ?? (job(), [key()])
    switch below(6) {
    case 0: return .gate(job: job, ignoresClockStop: below(3) == 0)
    case 1, 2: return .finish(job: job, keys: keys)
    case 3: return .clearFailures(job: job, keys: keys)
    default: return .takeLeases(job: "errand", keys: job == "errand" ? keys : [key()], owner: "run of \(slot)")
    }
  }

  private mutating func ofFailure() -> DatabaseModel.Statement {
    let job = job()
    switch below(6) {
    case 0, 1, 2:
      return .recordFailure(job: job, keys: keys(), counted: below(4) == 0, Beginning.retries)
    case 3: return .uncountFailures(job: job, keys: keys(), Beginning.retries)
    case 4: return .suspects(job: job)
    default: return .recordDelay(job: job, key: key())
    }
  }

  private mutating func ofLease(_ slot: Slot, _ world: ModelWorld) -> DatabaseModel.Statement {
    let standing = world.model.rows.visible(.leases(job: "errand"), to: world.session(slot))
    guard !standing.isEmpty else { return .leases(job: "errand") }
    let (id, version) = standing[below(standing.count)]
    let generation = version.content.lease?.generation ?? 0
    switch below(5) {
    case 0, 1: return .lockLease(job: "errand", key: id.key, generation: generation - UInt64(below(4) / 3))
    case 2: return .giveBack(job: "errand", generations: [generation])
    case 3:
      return .takeAway(job: "errand", generations: Set(standing.compactMap { $0.version.content.lease?.generation }))
    default: return .leases(job: "errand")
    }
  }

  private mutating func ofNode(_ slot: Slot, _ world: ModelWorld) -> DatabaseModel.Statement {
    let node = below(5) == 0 ? "b" : slot.node
    switch below(14) {
    case 0: return .addNode(node)
    case 1: return .lockNode(node)
    case 2: return .takeName(node, last: nil)
    case 3: return .register(node)
    case 4, 5: return .beat(node, state: below(4) == 0 ? "draining" : "ready", needsNotify: below(2) == 0)
    case 6: return .stopNode(node)
    case 7: return .transactionID
    default: return .setNeedsNotify(node, below(3) > 0)
    }
  }

  private mutating func ofGate(_ slot: Slot) -> DatabaseModel.Statement {
    let node = slot.node.isEmpty ? "a" : slot.node
    switch below(11) {
    case 0: return .pause(job: job(), below(2) == 0)
    case 1, 2:
      return .stopClock(node: node, difference: .seconds([60, 400, 2000][below(3)]), jump: Beginning.jump)
    case 3: return .liftClockStop(node: node)
    case 4: return .releaseClock(node: node)
    case 5: return .acceptClockStops
    case 6: return .stopJobs(node: node, below(2) == 0 ? ["chore"] : ["chore", "errand"])
    case 7: return .acceptRestoration
    default: return .gate(job: job(), ignoresClockStop: below(3) == 0)
    }
  }

  // MARK: Values

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private mutating func job() -> String { Beginning.jobs[below(Beginning.jobs.count)] }

  private mutating func key() -> Int64 { Int64.random(in: Beginning.keys, using: &random) }

  private mutating func keys() -> [Int64] { Array(Set([key(), key()])).sorted() }
}
