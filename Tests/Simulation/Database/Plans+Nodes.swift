import Postgres

/// The statements on nodes, gates and the session itself.
extension DatabaseModel {
  // MARK: Nodes

  func plan(add node: String) -> Execution {
    Execution(insert: .node(node), .node(Content.Node(startedAt: now, seenAt: now)))
  }

  func plan(take node: String, last: SessionID?, _ session: SessionID) -> Execution {
    let living = Set(sessions.keys)
    return plan(.node(node), session) { content in
      guard var row = content.node, row.holder == last || row.holder.map({ !living.contains($0) }) ?? true
      else { return .pass }
      row.holder = session
      return .write(.node(row))
    }
  }

  func plan(register node: String, _ session: SessionID) -> Execution {
    let instant = now
    let fresh = Content.Node(state: "ready", startedAt: instant, seenAt: instant)
    let before = rows.visible(.node(node), to: session)?.content.node
    var execution = Execution(insert: .node(node), .node(fresh)) { content in
      guard var row = content.node else { return .pass }
      row.state = "ready"
      row.startedAt = instant
      row.seenAt = instant
      row.needsNotify = false
      return .write(.node(row))
    }
    execution.answer = .flag(before.map { $0.state != "stopped" } ?? false)
    return execution
  }

  /// Other nodes that have not been seen for three minutes, and whose sessions are gone, are gone.
  func plan(beat node: String, _ state: String, _ needsNotify: Bool, _ session: SessionID) -> Execution {
    let instant = now
    let living = Set(sessions.keys)
    let others = rows.visible(.nodes, to: session).map(\.id).filter { $0 != .node(node) }
    let own = steps([.node(node)], session) { content in
      guard var row = content.node else { return .pass }
      row.state = state
      row.seenAt = instant
      row.needsNotify = needsNotify
      row.beats += 1
      return .write(.node(row))
    }
    let gone = steps(others, session) { content in
      guard var row = content.node, ["ready", "degraded", "draining"].contains(row.state),
        instant.microseconds - row.seenAt.microseconds > 180_000_000,
        row.holder.map({ !living.contains($0) }) ?? true
      else { return .pass }
      row.state = "gone"
      row.needsNotify = false
      return .write(.node(row))
    }
    return Execution(steps: (own + gone)[...])
  }

  func plan(mark node: String, _ needsNotify: Bool, _ session: SessionID) -> Execution {
    plan(.node(node), session) { content in
      guard var row = content.node else { return .pass }
      row.needsNotify = needsNotify
      return .write(.node(row))
    }
  }

  func plan(stop node: String, _ session: SessionID) -> Execution {
    let instant = now
    return plan(.node(node), session) { content in
      guard var row = content.node else { return .pass }
      row.state = "stopped"
      row.needsNotify = false
      row.seenAt = instant
      return .write(.node(row))
    }
  }

  // MARK: Gates

  func plan(pause job: String, _ isPaused: Bool) -> Execution {
    Execution(insert: .pause(job: job), .pause(isPaused)) { _ in .write(.pause(isPaused)) }
  }

  /// An event goes with it, whose table wakes the nodes even where there is none.
  func plan(stopClock node: String, _ difference: Duration, _ jump: Duration) -> Execution {
    let fresh = Content.clockStop(Content.ClockStop(difference: difference))
    var execution = Execution(insert: .clockStop(node: node), fresh) { content in
      guard var stop = content.clockStop, !stop.isAccepted else { return .pass }
      let change = difference - stop.difference
      stop.isLifted = stop.isLifted && max(change, .zero - change) <= jump
      stop.difference = difference
      return .write(.clockStop(stop))
    }
    execution.wakes = true
    return execution
  }

  func plan(lift node: String, _ session: SessionID) -> Execution {
    plan(.clockStop(node: node), session) { content in
      guard var stop = content.clockStop, !stop.isAccepted else { return .pass }
      stop.isLifted = true
      return .write(.clockStop(stop))
    }
  }

  func planToAcceptClockStops(_ session: SessionID) -> Execution {
    plan(rows.visible(.clockStops, to: session).map(\.id), session) { content in
      guard var stop = content.clockStop else { return .pass }
      stop.isAccepted = true
      return .write(.clockStop(stop))
    }
  }

  func plan(stop jobs: Set<String>, _ node: String) -> Execution {
    Execution(insert: .restoration(node: node), .restoration(jobs)) { content in
      content.restoration?.isSuperset(of: jobs) == true ? .pass : .write(.restoration(jobs))
    }
  }

  /// Findings that an operator has accepted stop nothing, and are not kept here.
  func planToAcceptRestoration(_ session: SessionID) -> Execution {
    plan(rows.visible(.restorations, to: session).map(\.id), session) { _ in .delete }
  }

  func plan(clock instant: Timestamp, _ session: SessionID) -> Execution {
    var execution = plan(.clock, session, as: .lock) { content in
      guard case .clock(let before?) = content else { return .refuse("SD403") }
      return instant < before ? .refuse("SD400") : .write(.clock(instant))
    }
    execution.payload = ""
    return execution
  }
}
