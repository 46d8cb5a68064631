package import Logging
import Synchronization

/// A log that remembers what was written.
package final class MemoryLog: LogHandler {
  private let all = Mutex<[(text: String, line: String)]>([])

  package init() {}

  /// The messages.
  package var texts: [String] { all.withLock { $0.map(\.text) } }

  /// Level, message and pairs.
  package var lines: [String] { all.withLock { $0.map(\.line) } }

  package var logLevel: Logger.Level {
    get { .trace }
    set { _ = newValue }
  }

  package var metadata: Logger.Metadata {
    get { [:] }
    set { _ = newValue }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set { _ = newValue }
  }

  package func log(event: LogEvent) {
    let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    all.withLock { $0.append(("\(event.message)", "\(event.level): \(event.message)\(pairs)")) }
  }
}
