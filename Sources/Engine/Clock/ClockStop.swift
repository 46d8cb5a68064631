import Postgres

/// A node's finding that the database's clock is wrong.
package struct ClockStop: Sendable, Equatable {
  package let node: String
  /// How far the clock had jumped compared with this node's own clock; forward is positive.
  package var difference: Duration
  /// How many baselines had been established when its node last saw the clocks agree: those are older than the jump.
  package var agreed: Int64
  /// Another node whose baseline is older than the jump saw the clocks agree: the stop binds its own node only.
  package var isLifted = false
  /// An operator accepted the difference: the stop binds no node, and its own node has not noticed yet.
  package var isAccepted = false

  package init(node: String, difference: Duration, agreed: Int64) {
    self.node = node
    self.difference = difference
    self.agreed = agreed
  }

  package var bindsAll: Bool { !isLifted && !isAccepted }
}

/// The records of the clocks in the database, read with its time: those of all nodes and of operators.
package struct ClockRecord: Sendable, Equatable {
  /// How often operators accepted a clock, and the sum of the differences.
  package var acceptances: Int64 = 0
  package var accepted: Duration = .zero
  /// How many baselines nodes have established.
  package var baselines: Int64 = 0
  package var stops: [ClockStop] = []

  package init() {}

  /// A row of `ClockStatements.record`.
  init(_ row: Row) throws(PostgresError) {
    acceptances = try row["generation"]
    accepted = .milliseconds(try row["accepted_milliseconds"] as Int64)
    baselines = try row["baselines"]
    let (nodes, states): ([String], [Int64]) = (try row["nodes"], try row["states"])
    let (differences, agreed): ([Int64], [Int64]) = (try row["differences"], try row["agreed"])
    for (index, node) in nodes.enumerated() {
      var stop = ClockStop(node: node, difference: .milliseconds(differences[index]), agreed: agreed[index])
      stop.isLifted = states[index] == 1
      stop.isAccepted = states[index] == 2
      stops.append(stop)
    }
  }

  package var isClockStopped: Bool { stops.contains(where: \.bindsAll) }
}

/// A record that a node writes after it read the clocks.
package enum ClockAction: Sendable, Equatable {
  /// A baseline that takes a new number.
  case establish(ClockBaseline)
  case remember(ClockBaseline)
  /// The baseline may be younger than another node's jump: the present is judged again after that stop.
  case forget
  case stop(Duration, agreed: Int64)
  /// The stop of this node is over.
  case release
  /// The stop of another node applies only to that node.
  case lift(node: String)
}

extension ClockAction {
  /// Actions in the order in which every node locks their rows: the stops by their nodes, then the baselines.
  ///
  /// Each node ends its own stop and lifts the others after a jump that all nodes saw. Their transactions would
  /// deadlock repeatedly in another order.
  static func inLockOrder(_ actions: [ClockAction], node: String) -> [ClockAction] {
    let stops = actions.enumerated().compactMap { place, action in
      action.stopped(by: node).map { (stopped: $0, place: place, action: action) }
    }
    let ordered = stops.sorted { one, other in
      one.stopped == other.stopped
        ? one.place < other.place : one.stopped.utf8.lexicographicallyPrecedes(other.stopped.utf8)
    }
    return ordered.map(\.action)
      + actions.filter { $0.stopped(by: node) == nil }
  }

  /// The node whose stop a node writes; nil if it writes none.
  private func stopped(by node: String) -> String? {
    switch self {
    case .establish, .remember, .forget: nil
    case .stop, .release: node
    case .lift(let other): other
    }
  }
}
