import Engine

/// Faults that are planted in the simulator, around the actions and events of its nodes. No program has them.
package enum Plant: String, CaseIterable, Sendable {
  case markDropped = "mark-dropped"
  case idBeforeMark = "id-before-mark"
  case registeredLate = "registered-late"
  case beatUnmarks = "beat-unmarks"
  case beatsDropped = "beats-dropped"
  case unmarkDropped = "unmark-dropped"
  case notificationsDropped = "notifications-dropped"
  case notificationsWake = "notifications-wake"
  case deafnessHidden = "deafness-hidden"
  case pollAnswersDoubled = "poll-answers-doubled"
  case sleepsDoubled = "sleeps-doubled"
  case sleepersWoken = "sleepers-woken"
  case startsDoubled = "starts-doubled"
  case startsDropped = "starts-dropped"
  case endsDropped = "ends-dropped"
  case roomDropped = "room-dropped"
  case drainDropped = "drain-dropped"
  case gateIgnored = "gate-ignored"
  case claimUnlocked = "claim-unlocked"
  case commitRepeated = "commit-repeated"
  case leaseUnchecked = "lease-unchecked"
  case neighbourBlamed = "neighbour-blamed"
  case recoverySkipped = "recovery-skipped"
  case clockUnjudged = "clock-unjudged"
  case restoreUnseen = "restore-unseen"
  case restoreUnseenByWork = "restore-unseen-by-work"

  package var text: String {
    switch self {
    case .markDropped: "a node falls asleep and its row does not ask writers to notify"
    case .idBeforeMark: "a node asks for the transaction id a moment before it marks its row"
    case .registeredLate: "a node's registration, which clears its mark, comes a second time, five seconds later"
    case .beatUnmarks: "each heartbeat clears the mark"
    case .beatsDropped: "heartbeats are not written"
    case .unmarkDropped: "a busy node still asks writers to notify"
    case .notificationsDropped: "every third notification is lost in the node"
    case .notificationsWake: "each notification makes a node poll at once"
    case .deafnessHidden: "a node does not learn that its notifications have ended"
    case .pollAnswersDoubled: "every fourth poll is answered with the answer to the one before it"
    case .sleepsDoubled: "a node sleeps twice as long as it means to"
    case .sleepersWoken: "a node polls at least every five seconds"
    case .startsDoubled: "work is started twice"
    case .startsDropped: "every fourth start is lost"
    case .endsDropped: "every fourth end of work is lost"
    case .roomDropped: "a node does not learn that full work has room again"
    case .drainDropped: "a node does not learn that it drains"
    case .gateIgnored: "a claim ignores that its job may not claim"
    case .claimUnlocked: "a claim reads due items and does not lock them"
    case .commitRepeated: "a batch whose connection is lost is written once more without a claim"
    case .leaseUnchecked: "a reply is written although its lease is lost"
    case .neighbourBlamed: "the failure of an item is recorded of the next one too"
    case .recoverySkipped: "a node that was killed does not look for the item that killed it"
    case .clockUnjudged: "a node does not judge the server's clock"
    case .restoreUnseen: "a node does not stop the jobs that wait after a restore"
    case .restoreUnseenByWork: "a run that reconnects does not look for a restored database"
    }
  }
}

/// What a planted fault remembers of its process.
struct PlantMemory {
  var poll: NodeMachine.Poll?
  var count = 0

  mutating func isFourth() -> Bool {
    count += 1
    return count % 4 == 0
  }
}

extension NodeRun {
  func plant(_ actions: [NodeMachine.Action]) -> [NodeMachine.Action] {
    guard let plant = world.plant else { return actions }
    return actions.flatMap { action -> [NodeMachine.Action] in
      switch (plant, action) {
      case (.beatUnmarks, .beat(let beat)):
        [.beat(.init(state: beat.state, needsNotify: false, prunesFailures: beat.prunesFailures))]
      case (.beatsDropped, .beat), (.unmarkDropped, .unmark): []
      case (.sleepsDoubled, .sleep(let end)): [.sleep(until: end + (end - now))]
      case (.sleepersWoken, .sleep(let end)): [.sleep(until: min(end, now + .seconds(5)))]
      case (.startsDoubled, .start): [action, action]
      case (.startsDropped, .start): planted.isFourth() ? [] : [action]
      default: [action]
      }
    }
  }

  func plant(_ events: [NodeMachine.Event]) -> [NodeMachine.Event] {
    guard let plant = world.plant else { return events }
    return events.flatMap { event -> [NodeMachine.Event] in
      switch (plant, event) {
      case (.pollAnswersDoubled, .polled(let poll)):
        let before = planted.isFourth() ? planted.poll : nil
        planted.poll = poll
        return [.polled(before ?? poll)]
      case (.endsDropped, .ended): return planted.isFourth() ? [] : [event]
      case (.roomDropped, .roomy), (.drainDropped, .drained(true)): return []
      default: return [event]
      }
    } + (plant == .sleepersWoken && events.isEmpty ? [.woken] : [])
  }

  func registerAgain(_ link: Link) {
    world.clock.start { [self] in
      try? await program.pause(.seconds(5))
      _ = try? await server.run(.register(node.name), link)
    }
  }
}
