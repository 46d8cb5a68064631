import Engine
import Postgres

/// The calls of a leased job: the real `Batches` and `LeaseWatch`, with the transactions of `LeasedRunner`.
final class LeasedWork: SimulatedWork, @unchecked Sendable {
  private let job: SimulatedJob
  private let run: NodeRun
  private var batches: Batches<Int64>
  private var watch = LeaseWatch(length: Jobs.lease)
  private var link: Link?
  /// By generation.
  private var calls: Set<UInt64> = []
  private var writing = 0

  private var world: World { run.world }
  private var server: Server { run.world.server }
  private var checks: Checks { run.world.checks }
  private var free: Int { Jobs.callsMax - (calls.count - writing) }

  init(_ job: SimulatedJob, _ run: NodeRun) {
    (self.job, self.run) = (job, run)
    var rules = Batches<Int64>.Rules(largest: Jobs.callsMax)
    (rules.endsShort, rules.waitsForLocked, rules.countsDoubtful) = (true, false, false)
    batches = Batches(job.name, rules)
  }

  func finish() async throws {
    while !calls.isEmpty { try await run.program.pause(.milliseconds(100)) }
  }

  func room() async throws {
    while free <= 0 { try await run.program.pause(.milliseconds(5)) }
  }

  func run(due: Duration) async throws -> RunOutcome {
    var standing: [Answer.Row]?
    batches.begin()
    while true {
      let step = batches.next(now: run.now, isStopped: run.claimsNothing, room: free)
      let tried = Claimed<Int64>()
      do {
        switch step {
        case .batch(let limit, _):
          var claim = DatabaseModel.Claim(job.name, limit: limit, isLeased: true)
          claim.except = Set(batches.leftOut)
          standing = try await lease(claim, tried) ?? standing
        case .alone(let key):
          standing = try await lease(DatabaseModel.Claim(job.name, limit: 1, only: key), tried) ?? standing
        case .record(let key, _, _):
          try await record([key], isOwn: true)
          batches.recorded(now: run.now)
        case .end(var outcome):
          if outcome.interruption == nil {
            do {
              outcome.items += try await takeAwayLost(standing ?? [])
            } catch {
              try run.program.check()
              outcome.interruption = error
            }
          }
          if outcome.items == 0, outcome.interruption == nil, !watch.isEmpty { outcome.retryIn = .seconds(1) }
          outcome.isFull = free <= 0
          return outcome
        case .findSuspects, .findLeft: preconditionFailure("a lease names the node working on an item")
        }
      } catch {
        try run.program.check()
        batches.failed(error, claimed: tried.keys, now: run.now)
      }
      _ = batches.takeNews()
    }
  }

  private func open() async throws -> Link {
    if let link, link.isOpen { return link }
    let fresh = try await run.connectToWork()
    link = fresh
    return fresh
  }

  /// Leases items and starts their calls; returns the leases that stood before.
  private func lease(_ claim: DatabaseModel.Claim, _ tried: Claimed<Int64>) async throws -> [Answer.Row]? {
    let link = try await open()
    let takenAt = run.now
    let (leased, standing) = try await server.transaction(link) { () -> ([Answer.Row], [Answer.Row]?) in
      try await server.run(.lockTimeout(.milliseconds(250)), link)
      let keys = try await server.run(.claim(claim), link).keys
      var real = Timestamp(microseconds: 0)
      let answer = try await server.ask(.gate(job: job.name), link) { [self] in real = server.now }
      if !run.clockAgrees(real) { throw EngineError(.clock, "the clock is wrong") }
      guard answer == .flag(true) else { return ([], nil) }
      let standing = try await server.run(.leases(job: job.name), link).rows
      guard !keys.isEmpty else { return ([], standing) }
      let taken = try await server.run(.takeLeases(job: job.name, keys: keys, owner: owner), link).rows
      tried.note(taken.map(\.id.key), since: takenAt)
      for row in taken {
        let id = ItemID(job: job.name, key: row.id.key)
        if let error = checks.fault(of: id, isAlone: taken.count == 1)?.error { throw error }
      }
      return (taken, standing)
    }
    for row in leased { start(row, takenAt: takenAt) }
    batches.done(leased.map(\.id.key), now: run.now)
    return standing
  }

  private var owner: String { "\(run.node.name) since \(run.begin)" }

  private func record(_ keys: [Int64], isOwn: Bool) async throws {
    let link = try await open()
    try await server.run(.recordFailure(job: job.name, keys: keys, Jobs.retries), link) { [self] answer in
      checks.recorded(answer.rows, isOwn: isOwn)
    }
  }

  /// Takes leases away whose takers have lost them; returns how many.
  private func takeAwayLost(_ standing: [Answer.Row]) async throws -> Int {
    let others = standing.compactMap(\.content.lease).filter { !calls.contains($0.generation) }
    let mine = Set(others.filter { $0.owner == owner }.map(\.generation))
    let foreign = others.filter { $0.owner != owner }.map { Int64($0.generation) }
    let lost = Set(watch.observe(foreign, at: run.now).map { UInt64($0) })
    guard !lost.isEmpty || !mine.isEmpty else { return 0 }
    let link = try await open()
    return try await server.transaction(link) {
      if !mine.isEmpty { try await server.run(.giveBack(job: job.name, generations: mine), link) }
      let keys = try await server.run(.takeAway(job: job.name, generations: lost), link).keys
      if !keys.isEmpty {
        try await server.run(.recordFailure(job: job.name, keys: keys.sorted(), Jobs.retries), link) {
          [self] answer in checks.recorded(answer.rows, isOwn: false)
        }
      }
      return keys.count + mine.count
    }
  }

  private func start(_ row: Answer.Row, takenAt: Duration) {
    guard let lease = row.content.lease else { return }
    calls.insert(lease.generation)
    world.clock.start { [self] in
      try? await carryOut(row.id.key, lease.generation, takenAt: takenAt)
      calls.remove(lease.generation)
      run.mailbox.wake()
    }
  }

  private func carryOut(_ key: Int64, _ generation: UInt64, takenAt: Duration) async throws {
    var isDone = false
    if run.now - takenAt < Jobs.lease - Jobs.callMax {
      try await run.program.pause(run.chance.span(.milliseconds(20)...(.seconds(3))))
      isDone = true
    }
    writing += 1
    defer { writing -= 1 }
    // The connection of the calls, so that a batch does not wait for a reply.
    let link = ReplyLink()
    while true {
      do {
        return try await write(key, generation, isDone: isDone, link)
      } catch {
        try run.program.check()
        try await run.program.pause(run.chance.span(.milliseconds(50)...(.seconds(3))))
      }
    }
  }

  private final class ReplyLink {
    var link: Link?
  }

  /// Writes the outcome of a call, where its lease is valid.
  private func write(_ key: Int64, _ generation: UInt64, isDone: Bool, _ reply: ReplyLink) async throws {
    if reply.link?.isOpen != true { reply.link = try await run.connectToWork() }
    guard let link = reply.link else { return }
    let id = ItemID(job: job.name, key: key)
    try await server.transaction(link) {
      try await server.run(.lockTimeout(.milliseconds(250)), link)
      let lock = DatabaseModel.Statement.lockLease(job: job.name, key: key, generation: generation)
      let stands = try await !server.run(lock, link).rows.isEmpty
      if isDone, stands || world.isPlanted(.leaseUnchecked) {
        try await server.run(.lockResources([id.resource]), link)
        try await server.run(.finish(job: job.name, keys: [key]), link) { [self] _ in
          checks.served([id], by: run.node.name, mayClaim: true)
        }
        try await server.run(.clearFailures(job: job.name, keys: [key]), link)
      }
      try await server.run(.giveBack(job: job.name, generations: [generation]), link)
    }
    server.lose(link)
  }
}
