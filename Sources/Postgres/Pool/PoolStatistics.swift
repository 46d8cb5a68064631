/// A pool's numbers at one moment.
package struct PoolStatistics: Sendable, Hashable {
  /// The most connections that there may be.
  package let size: Int
  /// Connections at rest.
  package let idle: Int
  /// Connections in use, or being opened for somebody.
  package let leased: Int
  /// Callers in the queue.
  package let waiting: Int
  /// Failed attempts to connect since the start.
  package let connectsFailed: Int
}
