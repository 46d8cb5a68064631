import Synchronization

/// How many connections of a socket are open, for whoever wants to tell.
package final class ConnectionCounter: Sendable {
  private let open = Mutex(0)

  package init() {}

  package var count: Int { open.withLock { $0 } }

  func add(_ number: Int) { open.withLock { $0 += number } }
}
