import Synchronization

/// What an attempt has in its hands, for the case that it fails or waits.
final class Claimed<Key: JobKey>: Sendable {
  private let storage = Mutex<(keys: [Key], backend: Int32?)>(([], nil))

  /// The items it locked.
  var keys: [Key] {
    get { storage.withLock { $0.keys } }
    set { storage.withLock { $0.keys = newValue } }
  }

  /// The server process that waits for a lock.
  var backend: Int32? {
    get { storage.withLock { $0.backend } }
    set { storage.withLock { $0.backend = newValue } }
  }
}
