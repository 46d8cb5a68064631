import Engine
import Postgres

/// One process of a node: it carries out what `NodeMachine` decides, as `Scheduler` does.
final class NodeRun: @unchecked Sendable {
  let node: SimulatedNode
  let program: Program
  let mailbox: Mailbox
  private(set) var works: [String: any SimulatedWork] = [:]
  private(set) var judge: ClockJudge?
  var chance: Chance
  /// The session that holds the node's name, and whether another one's is in the way.
  var name = Name.open
  var lastListener: SessionID?
  var listener: Link?
  private var link: Link?
  private var spare: Link?
  let begin: Duration
  private var polls: [(at: Duration, causes: Int)] = []
  private(set) var isStopping = false
  private(set) var running: Set<String> = []
  private var machine: NodeMachine
  /// The number of questions asked and answered.
  private var questions = 0
  /// Since when the same work has been running.
  private var busySince: Duration = .zero
  /// What a planted fault remembers.
  var planted = PlantMemory()

  enum Name { case open, owned, taken }

  var world: World { node.world }
  var server: Server { node.world.server }
  private var checks: Checks { node.world.checks }

  init(_ node: SimulatedNode, number: Int) {
    (self.node, program) = (node, Program(node.world.clock))
    mailbox = Mailbox(program, node.world.clock)
    chance = Chance(node.world.history.seed, "\(node.name) \(number)")
    machine = NodeMachine(
      options: SchedulerOptions(node: node.name, version: "simulated"),
      works: Jobs.all.map {
        Workload.Entry(name: $0.name, successors: $0.successor.map { [$0] } ?? [], lead: $0.lead)
      })
    begin = node.world.clock.now
    for job in Jobs.all {
      works[job.name] = job.isLeased ? LeasedWork(job, self) : BatchWork(job, self)
    }
  }

  /// The node's own time.
  var now: Duration { world.clock.now }

  var lastPoll: Duration? { polls.last?.at }

  /// Whether running work claims nothing more.
  var claimsNothing: Bool { isStopping || node.isDraining }

  func reading(_ database: Timestamp) -> ClockReading {
    ClockReading(database: database, boot: now, host: server.moment.after(.zero - node.hostLead))
  }

  /// Whether a claim is made at a time at which this node sees the right clock.
  func clockAgrees(_ real: Timestamp) -> Bool {
    world.isPlanted(.clockUnjudged) || judge.map { $0.judge(reading(real)) == .agrees } ?? true
  }

  /// Nothing of the process is used any more.
  func forget() { works = [:] }

  func stop() {
    isStopping = true
    mailbox.stop()
  }

  // MARK: The loop

  func run() async {
    world.clock.start { [self] in await follow() }
    do {
      var actions = [NodeMachine.Action.meet]
      while let events = try await carryOut(plant(actions)) {
        actions = machine.handle(plant(events), now: now, draw: { [self] in chance.draw() })
      }
    } catch {}
    node.ended(self)
  }

  /// Returns what happened; nil at the end.
  private func carryOut(_ actions: [NodeMachine.Action]) async throws -> [NodeMachine.Event]? {
    do {
      for action in actions {
        world.note("\(node.name) \(action)".prefix(200).description)
        switch action {
        case .meet: return [try await meet() ? .met : .stopped]
        case .poll(let works, let returning, let isHeartbeat):
          return [try await startingOnTime { try await poll(works, returning, isHeartbeat) }]
        case .start(let work, let due): start(work, due: due)
        case .announce(let coming): works[coming.work]?.announce(coming)
        case .observe: break
        case .mark: return [.marked(try await startingOnTime { try await mark() })]
        case .unmark:
          _ = try await startingOnTime { try await server.run(.setNeedsNotify(node.name, false), open()) }
        case .beat(let beat):
          let statement = DatabaseModel.Statement.beat(node.name, state: beat.state, needsNotify: beat.needsNotify)
          _ = try await startingOnTime { try await server.run(statement, open()) }
        case .sleep(let end):
          try await mailbox.wait(atMost: end - now)
          return mailbox.take() + (link?.isOpen == true ? [] : [.parted])
        case .finish:
          for work in works.values { try await work.finish() }
          _ = try? await server.run(.stopNode(node.name), open())
          return nil
        }
      }
      preconditionFailure("the last action must cause an event")
    } catch let error as PostgresError {
      try program.check()
      return [.lost(error)]
    }
  }

  /// As `Scheduler` does: work starts at its instants while the database is asked.
  private func startingOnTime<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
    questions += 1
    let question = questions
    defer { questions += 1 }
    if machine.nextStart != nil {
      world.clock.start { [self] in
        while question == questions, !claimsNothing, let next = machine.nextStart {
          do { try await program.pause(max(.zero, next - now)) } catch { return }
          guard question == questions, !claimsNothing else { return }
          for case .start(let work, let due) in plant(machine.startOnTime(now: now)) { start(work, due: due) }
        }
      }
    }
    return try await ask()
  }

  private func open() throws -> Link {
    guard let link, link.isOpen else { throw PostgresError(.connection, "the connection is gone") }
    return link
  }

  /// A connection for work, which looks for a restored database before its first use: as `Scheduler.guardConnections`.
  func connectToWork() async throws -> Link {
    let link = try await server.connect(program, node: node.name)
    if judge != nil, !world.isPlanted(.restoreUnseenByWork) { try await node.lookForRestore(link) }
    return link
  }

  private func meet() async throws -> Bool {
    let isFirst = judge == nil
    let link = if let spare, spare.isOpen { spare } else { try await server.connect(program, node: node.name) }
    spare = link
    try await node.lookForRestore(link)
    if isFirst {
      let end = now + .seconds(5)
      while name == .open, !isStopping, now < end { try await program.pause(.milliseconds(10)) }
      guard name != .taken else { throw ProgramEnded() }
      if isStopping { return false }
    }
    judge = ClockJudge(node: node.name, bootId: "boot", remembered: server.clockBook[node.name])
    let answer = try await server.run(.register(node.name), link)
    if world.isPlanted(.registeredLate) { registerAgain(link) }
    if isFirst, answer == .flag(true) {
      for work in works.values { work.recoverFromCrash() }
    }
    (self.link, spare) = (link, nil)
    return true
  }

  private func poll(_ names: Set<String>, _ returning: Set<String>, _ isHeartbeat: Bool) async throws
    -> NodeMachine.Event
  {
    guard let link, link.isOpen else {
      if spare?.isOpen != true { spare = try await server.connect(program, node: node.name) }
      return .parted
    }
    polls.append((now, mailbox.causes))
    if polls.count > 20_000 { polls.removeFirst(10_000) }
    checks.polled(node.name, since: begin, polls)
    if !running.isEmpty { checks.busy(node.name, for: now - busySince) }
    let hidden = names.union(returning).intersection(world.hidden).sorted()
    let seenJobs = names.union(returning).subtracting(hidden).sorted()
    var (record, seen) = (ClockRecord(), now)
    let answer = try await server.ask(.poll(seenJobs.map(Jobs.polled)), link) { [self] in
      seen = now
      let stops = world.nodes.compactMap { node -> (String, Content.ClockStop)? in
        guard case .clockStop(let stop)? = server.model[.clockStop(node: node.name)] else { return nil }
        return (node.name, stop)
      }
      record = server.clockBook.record(Dictionary(uniqueKeysWithValues: stops))
    }
    guard case .poll(let poll) = answer else { throw PostgresError(.decoding, "a poll has an answer") }
    guard !seenJobs.isEmpty else { throw PostgresError(.server, "no job can be polled", sqlState: "42P01") }
    let snapshot = DueSnapshot(poll, record)
    let reading = reading(poll.real)
    let actions = judge?.see(reading, record, isHeartbeat: isHeartbeat) ?? []
    try await write(actions, link)
    if actions.contains(.release) { mailbox.wake() }
    return .polled(
      NodeMachine.Poll(
        snapshot: snapshot, failed: hidden.map { ($0, PostgresError(.server, "no right", sqlState: "42501")) },
        seen: seen, clockAgrees: clockAgrees(poll.real)))
  }

  private func write(_ actions: [ClockAction], _ link: Link) async throws {
    guard !actions.isEmpty, !world.isPlanted(.clockUnjudged) else { return }
    var number: Int64?
    try await server.transaction(link) {
      for action in actions {
        for statement in action.statements(node: node.name) { try await server.run(statement, link) }
        link.effects.append { [self] in
          number = server.clockBook.write(action, node: node.name) ?? number
          if case .establish = action { world.baselineEstablished() }
        }
      }
    }
    if let number { judge?.established(number) }
  }

  private func mark() async throws -> UInt64 {
    let link = try open()
    var id: UInt64?
    if world.isPlanted(.idBeforeMark) {
      id = try await nextID(link)
      try await program.pause(.milliseconds(100))
    }
    if !world.isPlanted(.markDropped) { try await server.run(.setNeedsNotify(node.name, true), link) }
    if let id { return id }
    return try await nextID(link)
  }

  private func nextID(_ link: Link) async throws -> UInt64 {
    guard case .id(let id) = try await server.run(.transactionID, link) else {
      throw PostgresError(.decoding, "a transaction has an id")
    }
    return id
  }

  // MARK: Work

  private func start(_ name: String, due: Duration) {
    guard let work = works[name] else { return }
    checks.note()
    busySince = now
    if !running.insert(name).inserted { checks.fail("\(node.name) starts \(name), which it runs already") }
    if let since = node.drainedSince, now - since > .seconds(5) {
      checks.fail("\(node.name) starts \(name) and has been draining for \((now - since).text) s")
    }
    world.clock.start { [self] in
      do {
        let outcome = try await work.run(due: due)
        running.remove(name)
        checks.note()
        mailbox.end(name, outcome)
        guard outcome.isFull else { return }
        try await work.room()
        mailbox.makeRoom(name)
      } catch {}
    }
  }
}

/// Work of a node, as the engine's runners do it.
protocol SimulatedWork: AnyObject, Sendable {
  func run(due: Duration) async throws -> RunOutcome
  func announce(_ coming: ComingWork)
  func room() async throws
  func recoverFromCrash()
  func finish() async throws
}

extension SimulatedWork {
  func announce(_ coming: ComingWork) {}
  func room() async throws {}
  func recoverFromCrash() {}
}

extension DueSnapshot {
  init(_ poll: Simulation.Poll, _ record: ClockRecord) {
    self.init(oldest: poll.oldest, now: poll.now, real: poll.real, clocks: record, isSimulated: false)
    nodes = poll.nodes
    leavesWakeUpsOut = poll.leavesWakeUpsOut
    for (name, job) in poll.jobs {
      let ignores = Jobs.byName[name]?.ignoresClockStop ?? false
      var item = Item(
        dueIn: poll.dueIn(name), dueAt: job.dueAt, isPaused: job.isPaused, isUnconditional: false,
        failing: job.failing, quarantined: job.quarantined)
      (item.awaitsAcceptance, item.ignoresClockStop, item.instant) = (job.awaitsAcceptance, ignores, job.dueAt)
      item.following = Jobs.byName[name]?.usesLanes == true ? job.followingAt : nil
      item.open(mayClaim: !job.isPaused && !job.awaitsAcceptance && (ignores || !record.isClockStopped))
      items[name] = item
    }
  }
}
