import Logging
import Synchronization

/// A log that remembers the texts.
final class Said: LogHandler {
  private let all = Mutex<[String]>([])

  var texts: [String] { all.withLock { $0 } }

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
    all.withLock { $0.append("\(event.message)") }
  }
}
