/// What a node makes of the clocks.
package enum ClockVerdict: Sendable, Equatable {
  case agrees
  /// The database's clock jumped by more than ten minutes: nobody may settle anything until it agrees or an operator
  /// accepts the difference.
  case jumped(Duration)
  /// This node's own wall clock is more than five minutes off: this node stops claiming.
  case hostIsOff(Duration)
}
