/// Finds leases that have stood unchanged for so long, by this node's boot clock,
/// that their takers have lost them. Pure.
///
/// The boot clock counts the time that the machine sleeps, too. Nothing is concluded from times that others wrote.
package struct LeaseWatch: Sendable {
  private let length: Duration
  private var firstSeen: [Int64: Duration] = [:]

  package init(length: Duration) {
    self.length = length
  }

  /// Takes note of the generations that stand at this moment; returns those that have stood for the lease's length.
  package mutating func observe(_ generations: [Int64], at boot: Duration) -> [Int64] {
    firstSeen = Dictionary(generations.map { ($0, firstSeen[$0] ?? boot) }, uniquingKeysWith: min)
    return firstSeen.filter { boot - $0.value >= length }.keys.sorted()
  }

  package var isEmpty: Bool { firstSeen.isEmpty }
}
