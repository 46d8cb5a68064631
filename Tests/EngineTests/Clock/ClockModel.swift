/// The rule of stops, by one who sees every clock from outside; in seconds, and apart from the code.
///
/// A view is how far the database's clock is ahead of a node's boot clock. It changes only by steps.
struct ClockModel {
  struct Stop {
    var difference: Int
    /// The step of the simulation at which its node last saw agreement.
    let lastAgreement: Int
    var isLifted = false
    var isAccepted = false
    var bindsAll: Bool { !isLifted && !isAccepted }
  }

  struct Knowledge {
    /// The boot of this knowledge, and the view that is right in it.
    var boot: Int
    var right: Int
    /// The step at which it came to be, and at which agreement was last seen; the database's time at its last writing.
    var born: Int
    var agreed: Int
    var writtenAgreement: Int
    var lastRight: Int
    var acceptances: Int
    var accepted: Int
  }

  private(set) var stops: [String: Stop] = [:]
  /// In the order in which they were raised.
  private var raised: [String] = []
  private var known: [String: Knowledge] = [:]
  private var acceptances = 0
  private var accepted = 0

  private var isClockStopped: Bool { stops.values.contains(where: \.bindsAll) }

  /// Whether a stop binds the node: any that binds all, or one of its own.
  func isBound(_ node: String) -> Bool {
    isClockStopped || stops[node].map { !$0.isAccepted } ?? false
  }

  mutating func accept() {
    acceptances += 1
    accepted += raised.first { stops[$0]?.bindsAll ?? false }.flatMap { stops[$0]?.difference } ?? 0
    for node in stops.keys { stops[node]?.isAccepted = true }
  }

  /// A process restarts: it has what was written.
  mutating func restart(_ node: String) {
    if let written = known[node]?.writtenAgreement { known[node]?.agreed = written }
  }

  /// The node looks at the clocks. `time` is the database's.
  mutating func poll(_ node: String, boot: Int, view: Int, time: Int, step: Int, isHeartbeat: Bool) {
    let isNewBoot = known[node]?.boot != boot
    if let stop = stops[node], stop.isAccepted {
      end(node)
      if isNewBoot {
        learn(node, boot, view, time, step)
      } else if let own = known[node] {
        // A stop that does not explain the present view is from before the last step.
        let (jump, missed) = (view - own.right, accepted - own.accepted)
        let isOld = abs(jump - stop.difference) > 600 && abs(jump - missed) <= 600
        accept(isOld ? missed : stop.difference, node, view, time)
      }
      note(node)
    } else if !isNewBoot, let own = known[node], own.acceptances != acceptances {
      let missed = accepted - own.accepted
      if abs(missed) > 600, abs(view - own.right - missed) <= 600 { accept(missed, node, view, time) }
      note(node)
    }
    // A node that may have come after a jump has no say about it.
    if stops[node] == nil, let own = known[node], own.boot == boot,
      stops.values.contains(where: { $0.bindsAll && own.born > $0.lastAgreement })
    {
      known[node] = nil
    }
    if known[node]?.boot != boot { begin(node, boot, view, time, step) }
    guard let own = known[node], own.boot == boot else { return }
    if abs(view - own.right) > 600 {
      disagree(node, by: view - own.right, agreed: own.agreed)
    } else {
      end(node)
      known[node]?.agreed = step
      for (other, stop) in stops where stop.bindsAll && own.born < stop.lastAgreement { stops[other]?.isLifted = true }
      if isHeartbeat, own.right == view {
        known[node]?.lastRight = time
        known[node]?.writtenAgreement = step
      }
    }
  }

  private mutating func begin(_ node: String, _ boot: Int, _ view: Int, _ time: Int, _ step: Int) {
    let last = known[node]
    if stops[node] != nil {
      guard let last, (0...600).contains(time - last.lastRight) else { return }
      end(node)
      learn(node, boot, view, time, step)
    } else if !isClockStopped {
      learn(node, boot, view, time, step)
      if let last, last.acceptances == acceptances, time < last.lastRight {
        known[node]?.right = view + last.lastRight - time
        known[node]?.lastRight = last.lastRight
        known[node]?.agreed = last.writtenAgreement
        known[node]?.writtenAgreement = last.writtenAgreement
      }
    }
  }

  private mutating func learn(_ node: String, _ boot: Int, _ view: Int, _ time: Int, _ step: Int) {
    known[node] = Knowledge(
      boot: boot, right: view, born: step, agreed: step, writtenAgreement: step, lastRight: time,
      acceptances: acceptances, accepted: accepted)
  }

  private mutating func accept(_ difference: Int, _ node: String, _ view: Int, _ time: Int) {
    known[node]?.right += difference
    if let right = known[node]?.right { known[node]?.lastRight = time - (view - right) }
  }

  /// Noting an acceptance writes what is known, with the last agreement.
  private mutating func note(_ node: String) {
    known[node]?.acceptances = acceptances
    known[node]?.accepted = accepted
    if let agreed = known[node]?.agreed { known[node]?.writtenAgreement = agreed }
  }

  private mutating func disagree(_ node: String, by difference: Int, agreed: Int) {
    guard let stop = stops[node] else {
      stops[node] = Stop(difference: difference, lastAgreement: agreed)
      raised.append(node)
      return
    }
    guard abs(difference - stop.difference) > 1 else { return }
    if abs(difference - stop.difference) > 600 { stops[node]?.isLifted = false }
    stops[node]?.difference = difference
  }

  private mutating func end(_ node: String) {
    stops[node] = nil
    raised.removeAll { $0 == node }
  }
}
