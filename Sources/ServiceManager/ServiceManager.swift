internal import Glibc

/// The service manager that started this process, if one did: systemd.
///
/// Everything here is silent elsewhere: without the variable that announces a facility (`NOTIFY_SOCKET`,
/// `WATCHDOG_USEC`, `LISTEN_FDS`, `CREDENTIALS_DIRECTORY`, `JOURNAL_STREAM`), that facility does nothing. The
/// environment is a parameter, not the process's own: libsystemd's calls read that with `getenv`, which tests in
/// parallel cannot share, so the two protocols that are only variables and a datagram are spoken here.
///
/// It only sends the daemon's notices.
package struct ServiceManager: Sendable {
  /// Half of the time after which systemd ends a service that does not ping; nil: nobody waits for pings.
  package let watchdogInterval: Duration?
  /// Whether standard error is the journal's own stream, so that entries may go to the journal with their fields.
  package let isConnectedToJournal: Bool

  let notifySocket: NotifySocket?
  let listening: ListenVariables?
  let credentialsDirectory: String?

  /// Reads what the service manager announced to the process `pid`.
  ///
  /// Variables meant for another process (`WATCHDOG_PID`, `LISTEN_PID`) count as absent. `standardError` is the
  /// descriptor that is compared with `JOURNAL_STREAM`.
  package init(environment: [String: String], pid: Int32, standardError: Int32 = 2) {
    notifySocket = environment["NOTIFY_SOCKET"].flatMap(NotifySocket.init)
    watchdogInterval = Self.watchdogInterval(environment, pid: pid)
    listening = ListenVariables(environment, pid: pid)
    credentialsDirectory = environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    isConnectedToJournal = environment["JOURNAL_STREAM"].map { Self.isStream($0, standardError) } ?? false
  }

  private static func watchdogInterval(_ environment: [String: String], pid: Int32) -> Duration? {
    guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 else { return nil }
    if let owner = environment["WATCHDOG_PID"], Int32(owner) != pid { return nil }
    return .microseconds(microseconds) / 2
  }

  /// `JOURNAL_STREAM` is the device and inode number of the stream, as `device:inode`.
  private static func isStream(_ announced: String, _ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return announced == "\(status.st_dev):\(status.st_ino)"
  }
}
