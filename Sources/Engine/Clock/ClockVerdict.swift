/// A node's verdict on the clocks.
package enum ClockVerdict: Sendable, Equatable {
  case agrees
  /// The database's clock jumped by more than ten minutes: no node may settle anything until it agrees or an operator
  /// accepts the difference.
  case jumped(Duration)
  /// This node sees the same jump, but another node with an older baseline sees the clocks agree: only this node
  /// settles nothing.
  case outvoted(Duration)
  /// This node's own wall clock is more than five minutes off: this node stops claiming.
  case hostIsOff(Duration)
}

extension ClockVerdict: CustomStringConvertible {
  /// The text for operators.
  package var description: String {
    switch self {
    case .agrees: "the clocks agree"
    case .jumped(let difference):
      "the database's clock jumped by \(difference.components.seconds) s: "
        + "nothing is settled until the clocks agree or an operator accepts the database's time"
    case .outvoted(let difference):
      "the database's clock jumped by \(difference.components.seconds) s relative to this node's clock, "
        + "but not relative to another node's: this node settles nothing until the clocks agree "
        + "or an operator accepts the database's time"
    case .hostIsOff(let difference):
      "this node's clock differs from the database's by \(difference.components.seconds) s: this node settles nothing"
    }
  }

  /// Whether the other verdict is the same, regardless of the seconds.
  func isSameKind(as other: ClockVerdict) -> Bool {
    switch (self, other) {
    case (.agrees, .agrees), (.jumped, .jumped), (.outvoted, .outvoted), (.hostIsOff, .hostIsOff): true
    default: false
    }
  }

  /// Whether it concerns the database's clock.
  var isOfDatabase: Bool {
    switch self {
    case .jumped, .outvoted: true
    case .agrees, .hostIsOff: false
    }
  }
}
