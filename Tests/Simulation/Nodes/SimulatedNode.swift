import Engine
import Postgres

/// A node: its processes, one after the other, and what its machine keeps between them.
final class SimulatedNode: @unchecked Sendable {
  let name: String
  unowned let world: World
  private var runs = 0
  private(set) var run: NodeRun?
  /// Nobody starts it until then.
  private var downUntil: Duration = .zero
  private(set) var drainedSince: Duration?
  /// How far the wall clock of its host is ahead.
  var hostLead: Duration = .zero
  /// Its notifications do not come until then.
  private(set) var deafUntil: Duration = .zero
  /// The last restore that it knows of.
  private var restores = 0
  /// Since when it could have met the database.
  private var upSince: Duration = .zero

  var hasSeenRestore: Bool { restores == world.restores }

  var isDraining: Bool { drainedSince != nil }

  init(_ name: String, _ world: World) {
    (self.name, self.world) = (name, world)
  }

  func start() {
    guard !world.clock.isOver, run == nil else { return }
    guard world.clock.now >= downUntil else { return startLater(after: .zero) }
    runs += 1
    // A new process does not drain.
    drainedSince = nil
    upSince = world.clock.now
    let run = NodeRun(self, number: runs)
    self.run = run
    world.clock.start { await run.run() }
  }

  /// The process has ended: after a clean stop, or because its name was taken. Its supervisor starts it again.
  func ended(_ run: NodeRun) {
    guard self.run === run else { return }
    end(lingers: .zero)
    startLater(after: .seconds(1))
  }

  private func startLater(after span: Duration) {
    downUntil = max(downUntil, world.clock.now + span)
    world.clock.at(downUntil) { [self] in start() }
  }

  private func end(lingers: Duration) {
    guard let run else { return }
    self.run = nil
    let program = run.program
    program.end()
    run.forget()
    world.clock.after(lingers) { [world] in world.server.loseAll(of: program) }
  }

  func crash(down: Duration, lingers: Duration) {
    end(lingers: lingers)
    startLater(after: down)
  }

  func restart(down: Duration) {
    downUntil = max(downUntil, world.clock.now + down)
    run?.stop()
  }

  func deafen(for span: Duration) {
    deafUntil = max(deafUntil, world.clock.now + span)
    if let listener = run?.listener { world.server.lose(listener) }
  }

  func drain(_ isDraining: Bool) {
    drainedSince = isDraining ? world.clock.now : nil
    run?.mailbox.drain(isDraining)
  }

  /// Before a node uses a connection, it looks whether the database is older than what it remembers: `RestoreGuard`.
  func lookForRestore(_ link: Link) async throws {
    guard world.restores > restores else { return }
    let found = world.restores
    if !world.isPlanted(.restoreUnseen) {
      try await world.server.transaction(link) {
        try await world.server.run(.stopJobs(node: name, Jobs.careful), link)
      }
    }
    restores = found
  }

  /// Checked now and then: a node that runs and can reach its database is at work.
  func look() {
    let now = world.clock.now
    guard let run, !run.program.isFrozen, !run.isStopping, !world.checks.isTroubled, now - upSince > .seconds(130)
    else { return }
    if let last = run.lastPoll, now - last > .seconds(62) {
      world.checks.fail("\(name) has not polled for \((now - last).text) s")
    }
    guard case .node(let row)? = world.server.model[.node(name)] else {
      return world.checks.fail("\(name) has no row, and runs")
    }
    let isSeen = world.server.now.since(row.seenAt) < .seconds(90)
    if !isSeen || !["ready", "draining", "degraded"].contains(row.state) {
      world.checks.fail("\(name) runs, and its row says \(row.state)")
    }
  }
}

extension NodeRun {
  /// Receives notifications, with the name of the node: as `Scheduler.follow` and `NodeName`.
  func follow() async {
    var failures = 0
    let pauses = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
    while program.isAlive, !world.clock.isOver {
      do {
        if now < node.deafUntil { try await program.pause(node.deafUntil - now) }
        let link = try await server.connect(program, node: node.name)
        listener = link
        guard try await claimName(link) else {
          name = .taken
          stop()
          return
        }
        name = .owned
        try await server.run(.listen, link)
        server.listen(link) { [self] note in heard(note) }
        failures = 0
        mailbox.listen(true)
        await link.untilClosed()
        if !world.isPlanted(.deafnessHidden) { mailbox.listen(false) }
      } catch is ProgramEnded {
        return
      } catch {
        failures += 1
        if failures == 1, !world.isPlanted(.deafnessHidden) { mailbox.listen(false) }
      }
      do { try await program.pause(pauses.delay(afterAttempts: max(1, failures), draw: chance.draw())) } catch {
        return
      }
    }
  }

  private func heard(_ note: DatabaseModel.Notification) {
    if world.isPlanted(.notificationsDropped), chance.hits(0.3) { return }
    mailbox.hear(sender: note.payload, process: Int32(note.sender.number))
    if world.isPlanted(.notificationsWake) { mailbox.disturb() }
  }

  /// False where another session has the name for more than three seconds.
  private func claimName(_ link: Link) async throws -> Bool {
    let begin = now
    var pause = Duration.milliseconds(50)
    while true {
      let taken = try await server.transaction(link) {
        try await server.run(.lockTimeout(.seconds(1)), link)
        try await server.run(.addNode(node.name), link)
        try await server.run(.lockNode(node.name), link)
        return try await server.run(.takeName(node.name, last: lastListener), link)
      }
      if !taken.rows.isEmpty {
        if let lastListener { server.end(lastListener) }
        lastListener = link.session
        return true
      }
      guard now - begin < .seconds(3) else { return false }
      try await program.pause(pause)
      pause = min(pause * 2, .seconds(1))
    }
  }
}
