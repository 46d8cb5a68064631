package import Logging
package import ServiceManager

/// Log entries with their fields in the journal, where standard error is the journal's; elsewhere, and where the
/// journal does not take an entry, lines on standard error.
///
/// The identifier in the journal is the program's name. `MESSAGE` is what standard error would show, without the level.
/// Each pair is also a field of its own, `SETTLED_` and the key in capitals: `journalctl SETTLED_JOB=race-settlement`.
/// Events of a known kind have a `MESSAGE_ID`.
package struct JournalLog: LogHandler {
  private let manager: ServiceManager
  private let program: String
  /// By the text of an entry.
  private let messageIDs: [String: String]
  private var elsewhere: StandardErrorLog

  package init(_ manager: ServiceManager, program: String, level: Logger.Level, messageIDs: [String: String] = [:]) {
    self.manager = manager
    self.program = program
    self.messageIDs = messageIDs
    elsewhere = StandardErrorLog(level: level)
  }

  package var logLevel: Logger.Level {
    get { elsewhere.logLevel }
    set { elsewhere.logLevel = newValue }
  }

  package var metadata: Logger.Metadata {
    get { elsewhere.metadata }
    set { elsewhere.metadata = newValue }
  }

  package var metadataProvider: Logger.MetadataProvider? {
    get { elsewhere.metadataProvider }
    set { elsewhere.metadataProvider = newValue }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { elsewhere[metadataKey: key] }
    set { elsewhere[metadataKey: key] = newValue }
  }

  package func log(event: LogEvent) {
    let text = "\(event.message)"
    let pairs = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let isTaken = manager.journal(
      JournalPriority(event.level), StandardErrorLog.line(text, pairs), fields: Self.fields(pairs, program: program),
      messageID: messageIDs[text])
    if !isTaken { elsewhere.log(event: event) }
  }

  static func fields(_ pairs: Logger.Metadata, program: String) -> [String: String] {
    var fields = ["SYSLOG_IDENTIFIER": program]
    for (key, value) in pairs {
      fields["SETTLED_" + key.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()] = "\(value)"
    }
    return fields
  }
}

extension JournalPriority {
  init(_ level: Logger.Level) {
    self =
      switch level {
      case .trace, .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }
}
