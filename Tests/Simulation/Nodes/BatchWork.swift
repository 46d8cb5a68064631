import Engine
import Postgres

/// The batches of a job: the real `Batches`, with the transactions of `JobRunner`.
final class BatchWork: SimulatedWork, @unchecked Sendable {
  private let job: SimulatedJob
  private let run: NodeRun
  private var batches: Batches<Int64>
  private var links: [Link] = []
  private var isProbing = false
  /// The other lanes of a run, as in `JobRunner`: those that have started, and those that still work.
  private var (lanesStarted, lanesBusy, areLanesClosing, itemsOfLanes) = (0, 0, false, 0)
  /// Whether the lane that watches pauses, and the size of its next batch where it is called.
  private var (isWatchPausing, watchSize): (Bool, BatchSize?) = (false, nil)
  private var coming: ComingWork?
  private var announced: ServerInstant?

  private var world: World { run.world }
  private var server: Server { run.world.server }
  private var checks: Checks { run.world.checks }

  init(_ job: SimulatedJob, _ run: NodeRun) {
    (self.job, self.run) = (job, run)
    batches = Batches(job.name, Batches.Rules(largest: job.largestBatch, target: .milliseconds(100)))
  }

  func recoverFromCrash() {
    if !world.isPlanted(.recoverySkipped) { batches.recoverFromCrash() }
  }

  func finish() async throws {
    while isProbing { try await run.program.pause(.milliseconds(100)) }
  }

  func run(due: Duration) async throws -> RunOutcome {
    var notBefore = instant(due)
    startProbe()
    batches.begin()
    itemsOfLanes = 0
    startWatch()
    var ready: Set<String> = []
    while true {
      startLanes()
      let step = batches.next(now: run.now, isStopped: run.claimsNothing)
      if !step.isPlainBatch, !(step.isLastLook && lanesBusy == 1 && isWatchPausing) { try await joinLanes() }
      let claimed = Claimed<Int64>()
      do {
        switch step {
        case .findSuspects: try await findSuspects()
        case .batch(let limit, _):
          let done = try await attempt(claim(limit, except: batches.leftOut), claimed, notBefore: notBefore)
          notBefore = nil
          if !done.isEmpty, let successor = job.successor { ready.insert(successor) }
          batches.done(done, lockedFor: claimed.since.map { run.now - $0 }, now: run.now)
        case .alone(let key):
          let done = try await attempt(claim(1, only: key), claimed)
          if !done.isEmpty, let successor = job.successor { ready.insert(successor) }
          batches.done(done, now: run.now)
        case .record(let key, _, let isCounted):
          try await record(blamed(key), isCounted: isCounted)
          batches.recorded(now: run.now)
        case .findLeft(let among): batches.found(left: try await stillDue(among), now: run.now)
        case .end(var outcome):
          outcome.ready = ready
          outcome.items += itemsOfLanes
          return outcome
        }
      } catch {
        try run.program.check()
        batches.failed(error, claimed: claimed.keys, now: run.now)
      }
      _ = batches.takeNews()
    }
  }

  func announce(_ coming: ComingWork) {
    self.coming = coming
    announced = ServerInstant(coming)
  }

  /// What the server waits for.
  private func instant(_ due: Duration) -> ServerInstant? { due > run.now ? announced?.at(due) : nil }

  private func startWatch() {
    let following = coming?.following
    (coming, watchSize) = (nil, nil)
    guard job.usesLanes else { return }
    startLane { [self] in try await watch(following) }
  }

  private func startLanes() {
    guard job.usesLanes, lanesStarted < Jobs.lanes - 1 || isWatchPausing, let size = batches.sizeForLanes else {
      return
    }
    watchSize = size
    for _ in lanesStarted + 1..<Jobs.lanes { startLane { [self] in try await lane(size) } }
  }

  private func startLane(_ body: @escaping @Sendable () async throws -> Void) {
    areLanesClosing = false
    (lanesStarted, lanesBusy) = (lanesStarted + 1, lanesBusy + 1)
    world.clock.start { [self] in
      try? await body()
      lanesBusy -= 1
    }
  }

  private func joinLanes() async throws {
    areLanesClosing = true
    while lanesBusy > 0 { try await run.program.pause(.milliseconds(1)) }
    lanesStarted = 0
  }

  private func watch(_ following: Duration?) async throws {
    var next = following.flatMap { $0 > run.now ? $0 : nil }
    while !areLanesClosing {
      let start = next.map { $0 - job.lead }
      let end = min(start ?? .seconds(Int64.max), run.now + .milliseconds(250))
      isWatchPausing = true
      defer { isWatchPausing = false }
      while run.now < end, !areLanesClosing, watchSize == nil {
        try await run.program.pause(min(.milliseconds(5), end - run.now))
      }
      isWatchPausing = false
      guard !areLanesClosing, !run.claimsNothing, let size = watchSize ?? batches.sizeForWatch else { return }
      watchSize = nil
      try await lane(size, notBefore: next.flatMap { $0 - job.lead <= run.now ? instant($0) : nil })
      guard !areLanesClosing else { return }
      next = try await nextInstant()
    }
  }

  private func nextInstant() async throws -> Duration? {
    do {
      let answer = try await withLink { try await server.run(.untilNext(job: job.name), $0) }
      guard case .wait(let wait?) = answer else { return nil }
      let due = run.now + wait
      announced = ServerInstant(node: due, server: server.now.advanced(by: wait))
      return due
    } catch {
      try run.program.check()
      return nil
    }
  }

  private func lane(_ first: BatchSize, notBefore: ServerInstant? = nil) async throws {
    var (size, notBefore) = (first, notBefore)
    while !areLanesClosing, !run.claimsNothing {
      let claimed = Claimed<Int64>()
      do {
        let done = try await attempt(claim(size.items, except: batches.leftOut), claimed, notBefore: notBefore)
        notBefore = nil
        guard !done.isEmpty else { return }
        itemsOfLanes += done.count
        size.observe(count: done.count, elapsed: claimed.since.map { run.now - $0 } ?? .zero)
      } catch {
        try run.program.check()
        return batches.laneFailed()
      }
    }
  }

  private func claim(
    _ limit: Int, mode: DatabaseModel.Claim.Mode = .skipLocked, only: Int64? = nil, except: [Int64] = [],
    among: [Int64]? = nil
  ) -> DatabaseModel.Claim {
    var claim = DatabaseModel.Claim(job.name, limit: limit, mode: mode, only: only)
    (claim.except, claim.among) = (Set(except), among.map { Set($0) })
    return claim
  }

  /// A connection of the node's pool that is at rest.
  private func withLink<Value>(_ body: (Link) async throws -> Value) async throws -> Value {
    var link = links.popLast()
    while let open = link, !open.isOpen { link = links.popLast() }
    let used: Link
    if let link { used = link } else { used = try await run.connectToWork() }
    let value: Value
    do {
      value = try await body(used)
    } catch {
      if used.isOpen, !(error is ProgramEnded) { links.append(used) }
      throw error
    }
    links.append(used)
    return value
  }

  /// Gather, decide, apply: one transaction. Returns the items that are done.
  private func attempt(
    _ claim: DatabaseModel.Claim, _ claimed: Claimed<Int64>, notBefore: ServerInstant? = nil
  ) async throws -> [Int64] {
    let countsBefore = batches.isRecovering
    do {
      return try await withLink { link in
        try await server.transaction(link) {
          try await transact(claim, claimed, countsBefore: countsBefore, notBefore: notBefore, link)
        }
      }
    } catch {
      try run.program.check()
      let keys = batches.uncounted(claimed.keys, after: error)
      if !keys.isEmpty {
        _ = try? await withLink { try await server.run(.uncountFailures(job: job.name, keys: keys, Jobs.retries), $0) }
      }
      if world.isPlanted(.commitRepeated), (error as? PostgresError)?.code == .connection, !claimed.keys.isEmpty {
        return try await withLink { link in
          try await server.transaction(link) { try await finish(claimed.keys, mayClaim: true, link) }
          return claimed.keys
        }
      }
      throw error
    }
  }

  private func transact(
    _ claim: DatabaseModel.Claim, _ claimed: Claimed<Int64>, countsBefore: Bool, notBefore: ServerInstant?, _ link: Link
  ) async throws -> [Int64] {
    var claim = claim
    if world.isPlanted(.claimUnlocked), claim.mode == .skipLocked { claim.mode = .peek }
    try await server.run(.lockTimeout(.milliseconds(250)), link)
    // The server waits by its own clock, and for no instant that is far away.
    let rest = notBefore?.server.since(server.now) ?? .zero
    if rest > .zero, rest <= .milliseconds(50) { try await run.program.pause(rest) }
    let keys = try await server.run(.claim(claim), link).keys
    var (ought, real) = (true, Timestamp(microseconds: 0))
    let gate = DatabaseModel.Statement.gate(job: job.name, ignoresClockStop: job.ignoresClockStop)
    let answer = try await server.ask(gate, link) { [self] in
      ought = checks.mayClaim(job, nodes: world.nodes.map(\.name))
      real = server.now
    }
    if !job.ignoresClockStop, !run.clockAgrees(real) { throw EngineError(.clock, "the clock is wrong") }
    guard answer == .flag(true) || world.isPlanted(.gateIgnored) else { return [] }
    guard !keys.isEmpty else { return [] }
    claimed.note(keys, since: run.now)
    if countsBefore { try await record(keys, isCounted: false, isOwn: false) }
    for key in keys {
      let id = ItemID(job: job.name, key: key)
      guard let fault = checks.fault(of: id, isAlone: keys.count == 1) else { continue }
      if let error = fault.error { throw error }
      checks.killed(by: id)
      run.node.crash(down: .seconds(1), lingers: .zero)
      try run.program.check()
    }
    try await run.program.pause(.milliseconds(1) + job.cost * keys.count)
    try await finish(keys, mayClaim: ought, link)
    return keys
  }

  private func finish(_ keys: [Int64], mayClaim: Bool, _ link: Link) async throws {
    let ids = keys.map { ItemID(job: job.name, key: $0) }
    try await server.run(.lockResources(Set(ids.map(\.resource)).sorted()), link)
    try await server.run(.finish(job: job.name, keys: keys), link) { [self] _ in
      checks.served(ids, by: run.node.name, mayClaim: mayClaim)
    }
    if let successor = job.successor {
      for key in keys {
        let dueAt = server.now
        try await server.run(.schedule(job: successor, key: key, dueAt: dueAt), link) { [self] _ in
          checks.written([ItemID(job: successor, key: key)], dueAt: dueAt)
        }
      }
    }
    try await server.run(.clearFailures(job: job.name, keys: keys), link)
  }

  private func record(_ keys: [Int64], isCounted: Bool, isOwn: Bool = true) async throws {
    try await withLink { link in
      _ = try await server.run(.recordFailure(job: job.name, keys: keys, counted: isCounted, Jobs.retries), link) {
        [self] answer in checks.recorded(answer.rows, isOwn: isOwn)
      }
    }
  }

  private func blamed(_ key: Int64) -> [Int64] { world.isPlanted(.neighbourBlamed) ? [key, key + 1] : [key] }

  private func findSuspects() async throws {
    let rows = try await withLink { try await server.run(.suspects(job: job.name), $0).rows }
    let ready = rows.filter { row in
      guard let failure = row.content.failure else { return false }
      return !(failure.lastAt <= server.now && server.now < failure.nextAttemptAt)
    }
    batches.suspected(rows.map(\.id.key), ready: ready.map(\.id.key))
  }

  // MARK: Items that others have locked

  private func stillDue(_ among: [Int64]) async throws -> [Int64] {
    let keys = try await withLink { try await server.run(.claim(claim(16, mode: .peek)), $0).keys }
    guard !among.isEmpty else { return keys }
    let more = try await withLink {
      try await server.run(.claim(claim(among.count, mode: .peek, among: among)), $0).keys
    }
    return keys + more.filter { !keys.contains($0) }
  }

  private func startProbe() {
    guard !isProbing, batches.hasLocked else { return }
    isProbing = true
    world.clock.start { [self] in
      try? await waitForOne()
      isProbing = false
    }
  }

  private func waitForOne() async throws {
    guard let key = batches.toWaitFor(in: try await stillDue(batches.lockedByOthers)) else { return }
    do {
      _ = try await attempt(claim(1, mode: .wait, only: key), Claimed())
      batches.waited(for: key)
    } catch {
      try run.program.check()
      switch batches.waited(for: key, error, now: run.now) {
      case .none: break
      case .record(let isCounted): try await record([key], isCounted: isCounted)
      case .listLocked, .listSpared:
        _ = try await withLink { try await server.run(.recordDelay(job: job.name, key: key), $0) }
      }
    }
  }
}
