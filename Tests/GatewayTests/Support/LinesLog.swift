import Logging
import Synchronization

/// A log that remembers its lines: level, message and pairs.
final class LinesLog: LogHandler {
  private let all = Mutex<[String]>([])

  var lines: [String] { all.withLock { $0 } }

  var logLevel: Logger.Level {
    get { .trace }
    set { _ = newValue }
  }

  var metadata: Logger.Metadata {
    get { [:] }
    set { _ = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { nil }
    set { _ = newValue }
  }

  func log(event: LogEvent) {
    let pairs = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    all.withLock { $0.append("\(event.level): \(event.message)\(pairs)") }
  }
}
