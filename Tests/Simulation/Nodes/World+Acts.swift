import Engine
import Postgres

/// What apps write, and what befalls the nodes and the server.
extension World {
  func carryOut(_ act: History.Act) {
    checks.note()
    switch act {
    case .write(let job, let count, let dueIn, let holds): write(job, count, dueIn: dueIn, holds: holds)
    case .drizzle(let job, let count, let apps, let apart):
      for number in 0..<apps {
        clock.after(apart * number + apart * chance.draw()) { [self] in
          if !clock.isOver { write(job, count, dueIn: .zero, holds: .zero) }
        }
      }
    case .fault(let job, let error, let times):
      let isDoubtful = error.map { $0.verdict != .item } ?? true
      if isDoubtful { checks.trouble(.job(job), for: history.length + Self.quiet, settling: Checks.long) }
      write(job, 1, dueIn: .zero, holds: .zero, fault: Checks.Fault(error: error, times: times))
    case .lock(let resource, let span): lock(resource, span)
    case .slow(let factor, let span):
      checks.trouble(for: span)
      during(span) { [self] isOn in server.slowness = isOn ? factor : 1 }
    case .hide(let job, let span):
      checks.trouble(.job(job), for: span, settling: Checks.long)
      during(span) { [self] isOn in if isOn { hidden.insert(job) } else { hidden.remove(job) } }
    case .pause(let job, let span): pause(job, for: span)
    case .crash(let number, let down, let lingers):
      checks.trouble(for: max(down, lingers + .seconds(10)))
      nodes[number % nodes.count].crash(down: down, lingers: lingers)
    case .restart(let number, let down):
      checks.trouble(for: down + .seconds(10))
      nodes[number % nodes.count].restart(down: down)
    case .freeze(let number, let span):
      checks.trouble(for: span)
      guard let program = nodes[number % nodes.count].run?.program, !program.isFrozen else { return }
      program.freeze()
      clock.after(span) { program.thaw() }
    case .cut(let number, let isKnown):
      checks.trouble(for: isKnown ? .zero : .seconds(10))
      if let program = nodes[number % nodes.count].run?.program { server.loseAll(of: program, isKnown: isKnown) }
    case .deafen(let number, let span):
      // A deaf node polls each second.
      nodes[number % nodes.count].deafen(for: span)
      clock.after(span) { [self] in checks.note() }
    case .drain(let number, let span):
      let node = nodes[number % nodes.count]
      during(span) { isOn in node.drain(isOn) }
      lackNode(for: span)
    default: carryOutOnServer(act)
    }
  }

  private func carryOutOnServer(_ act: History.Act) {
    switch act {
    case .jump(let difference, let span, let isAccepted):
      checks.trouble(for: span, settling: Checks.long)
      server.model.clockLead += difference
      jumps += isAccepted ? 0 : 1
      clock.after(span) { [self] in
        guard !isAccepted else { return acceptClock() }
        server.model.clockLead -= difference
        jumps -= 1
      }
    case .hostClock(let number, let lead, let span):
      let node = nodes[number % nodes.count]
      during(span) { isOn in node.hostLead += isOn ? lead : .zero - lead }
      lackNode(for: span)
    case .outage(let span):
      checks.trouble(for: span)
      server.refusedUntil = max(server.refusedUntil, clock.now + span)
      server.loseAll()
    case .restore(let age, let accepted): restore(age: age, accepted: accepted)
    case .loseCommits(let share, let span):
      checks.trouble(for: span)
      during(span) { [self] isOn in server.lostCommits = isOn ? share : 0 }
    case .delayNotifications(let delay, let span):
      checks.trouble(for: span)
      during(span) { [self] isOn in server.notificationDelay = isOn ? delay : .zero }
    case .fillQueue(let usage, let span):
      checks.trouble(for: span, settling: Checks.long)
      during(span) { [self] isOn in server.model.queueUsage = isOn ? usage : 0 }
    case .flood(let perSecond, let span):
      checks.trouble(for: span)
      let count = max(1, Int(span / .seconds(1) * Double(perSecond)))
      for number in 0..<count {
        clock.after(span * number / count) { [self] in
          if !clock.isOver { operate([.notify("")], again: false) }
        }
      }
    default: break
    }
  }

  /// A node may not claim for a time: the others serve everything, if there is one that may.
  private func lackNode(for span: Duration) {
    let isOneLeft = nodes.contains { !$0.isDraining && $0.hostLead == .zero }
    checks.trouble(for: isOneLeft ? .zero : span, settling: Checks.long)
  }

  /// Calls with true now, and with false when the span is over.
  private func during(_ span: Duration, _ change: @escaping (Bool) -> Void) {
    change(true)
    clock.after(span) { change(false) }
  }

  /// The span begins with the commit, which may wait for the server.
  private func pause(_ job: String, for span: Duration) {
    operate([.pause(job: job, true), .notify("")]) { [self] in
      checks.trouble(.job(job), for: span, settling: Checks.long)
      clock.after(span) { [self] in resume(job) }
    }
  }

  func resume(_ job: String) {
    operate([.pause(job: job, false), .notify("")]) { [self] in
      checks.trouble(.job(job), for: .zero, settling: Checks.long)
    }
  }

  private func write(
    _ job: String, _ count: Int, dueIn: Duration, holds: Duration, fault: Checks.Fault? = nil
  ) {
    let ids = nextKeys(count).map { ItemID(job: job, key: $0) }
    let program = Program(clock)
    clock.start { [self] in
      while !clock.isOver {
        try? await write(ids, dueIn: dueIn, holds: holds, fault, program)
        // Where the answer was lost, an app looks before it writes again.
        if checks.items[ids[0]] != nil { return }
        try? await program.pause(.milliseconds(500))
      }
    }
  }

  private func write(
    _ ids: [ItemID], dueIn: Duration, holds: Duration, _ fault: Checks.Fault?, _ program: Program
  ) async throws {
    let link = try await server.connect(program)
    defer { server.lose(link) }
    let dueAt = server.now.after(dueIn)
    try await server.transaction(link) {
      for id in ids { try await server.run(.schedule(job: id.job, key: id.key, dueAt: dueAt), link) }
      if holds > .zero { try await program.pause(holds) }
      link.effects.append { [self] in checks.written(ids, dueAt: dueAt, fault: fault) }
    }
  }

  private func lock(_ resource: Int64, _ span: Duration) {
    checks.trouble(.resource(resource), for: span, settling: Checks.long)
    let program = Program(clock)
    clock.start { [self] in
      guard let link = try? await server.connect(program) else { return }
      try? await server.transaction(link) {
        try await server.run(.lockResources([resource]), link)
        try await program.pause(span)
      }
      server.lose(link)
    }
  }
}
