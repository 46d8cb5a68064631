/// Finds leases that have been unchanged for so long, by this node's boot clock, that their owners have lost them.
/// Pure.
///
/// The boot clock counts the time that the machine sleeps, too. Times written by other nodes are not used.
package struct LeaseWatch: Sendable {
  private let length: Duration
  private var firstSeen: [Int64: Duration] = [:]

  package init(length: Duration) {
    self.length = length
  }

  /// Records the generations that exist at this moment; returns those that have existed for the lease's length.
  package mutating func observe(_ generations: [Int64], at boot: Duration) -> [Int64] {
    firstSeen = Dictionary(generations.map { ($0, firstSeen[$0] ?? boot) }, uniquingKeysWith: min)
    return firstSeen.filter { boot - $0.value >= length }.keys.sorted()
  }

  package var isEmpty: Bool { firstSeen.isEmpty }
}
