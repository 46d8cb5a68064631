import Synchronization

/// How much of a socket's limits is in use, for whoever wants to tell.
package final class ServingGauges: Sendable {
  private let used = Mutex((connections: 0, bodyBytes: 0))

  package init() {}

  package var connections: Int { used.withLock { $0.connections } }

  /// Of all bodies that are being read or worked on.
  package var bodyBytes: Int { used.withLock { $0.bodyBytes } }

  func addConnections(_ number: Int) { used.withLock { $0.connections += number } }

  func setBodyBytes(_ number: Int) { used.withLock { $0.bodyBytes = number } }
}
