import Synchronization

/// The items that an attempt has claimed, in case it fails or waits.
package final class Claimed<Key: JobKey>: Sendable {
  private let storage = Mutex<(keys: [Key], since: Duration?, backend: Int32?)>(([], nil, nil))

  package init() {}

  /// The items it locked.
  package var keys: [Key] { storage.withLock { $0.keys } }

  /// When it locked them, by the node's own time.
  package var since: Duration? { storage.withLock { $0.since } }

  package func note(_ keys: [Key], since now: Duration) {
    storage.withLock { ($0.keys, $0.since) = (keys, now) }
  }

  /// The server process that waits for a lock.
  var backend: Int32? {
    get { storage.withLock { $0.backend } }
    set { storage.withLock { $0.backend = newValue } }
  }
}
