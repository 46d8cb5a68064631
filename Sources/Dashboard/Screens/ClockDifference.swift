import TextCoding

/// How far the clock of a node is from the database's.
enum ClockDifference {
  /// `+212 ms`; nothing where it is unknown.
  static func text(_ node: JSONValue) -> String {
    guard let difference = node.whole("clockDifferenceMs") else { return "" }
    return (difference > 0 ? "+" : "") + Amount.duration(milliseconds: difference)
  }
}
