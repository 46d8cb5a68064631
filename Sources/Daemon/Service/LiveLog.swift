import Operations
import HostProcess
import Logging
import ServiceManager
import Synchronization

/// The log whose level a reload can change: native journal entries under systemd, lines on standard error elsewhere.
final class LiveLog: Sendable {
  private let level: Mutex<Logger.Level>
  private let manager: ServiceManager

  private let messageIDs: [String: String]

  init(_ manager: ServiceManager, level: Logger.Level, records: [JournalRecord]) {
    self.manager = manager
    messageIDs = MessageID.all(with: records)
    self.level = Mutex(level)
  }

  func setLevel(_ new: Logger.Level) {
    level.withLock { $0 = new }
  }

  var logger: Logger {
    Logger(label: "settled") { _ in
      Handler(
        log: self,
        inner: JournalLog(
          self.manager, program: VersionCommand.program, level: .trace, messageIDs: self.messageIDs))
    }
  }

  private struct Handler: LogHandler {
    let log: LiveLog
    var inner: JournalLog

    var logLevel: Logger.Level {
      get { log.level.withLock { $0 } }
      set { log.setLevel(newValue) }
    }

    var metadata: Logger.Metadata {
      get { inner.metadata }
      set { inner.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { inner[metadataKey: key] }
      set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { inner.log(event: event) }
  }
}
