import Postgres

/// The order in which nodes poll for work that all of them expect: the first does it, and the others find it done.
///
/// All nodes compute the same order from the same instant or sender, and each instant has another order. A node that is
/// not among the working ones comes first.
struct NodeOrder {
  /// How much later each node polls than the one before it, and the longest that any node waits.
  static let step: Duration = .milliseconds(100)
  static let longest: Duration = .seconds(1)

  private let place: Int?
  private let nodes: [String]

  /// - Parameter nodes: the names of the working nodes, sorted.
  init(node: String, nodes: [String] = []) {
    place = nodes.firstIndex(of: node)
    self.nodes = nodes
  }

  /// How many nodes come before this one at an instant at which something falls due.
  func rank(at instant: Timestamp?) -> Int {
    instant.map { rank(from: Int(Self.mixed($0.microseconds) % UInt64(max(1, nodes.count)))) } ?? 0
  }

  /// How many nodes come before this one when a session notified: the node that owns the session comes first.
  func rank(sender: String, process: Int32) -> Int {
    rank(from: nodes.firstIndex(of: sender) ?? Int(process.magnitude) % max(1, nodes.count))
  }

  static func pause(of rank: Int) -> Duration { min(longest, step * rank) }

  private func rank(from first: Int) -> Int {
    place.map { ($0 - first + nodes.count) % nodes.count } ?? 0
  }

  /// Instants are mostly multiples of a second: their lowest digits carry no information. The finalizer of SplitMix64.
  private static func mixed(_ microseconds: Int64) -> UInt64 {
    var value = UInt64(bitPattern: microseconds)
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
