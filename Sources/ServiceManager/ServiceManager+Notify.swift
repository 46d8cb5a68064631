internal import Glibc

/// The messages of the service to its manager; each call returns whether a manager listens. None of them waits.
extension ServiceManager {
  /// The service is up (or its reload is done).
  @discardableResult
  package func ready(status: String) -> Bool {
    notify(["READY=1", "STATUS=\(Self.line(status))"])
  }

  /// The text that `systemctl status` shows: one line; line breaks and control characters become spaces.
  @discardableResult
  package func status(_ text: String) -> Bool {
    notify(["STATUS=\(Self.line(text))"])
  }

  /// The service ends; to be said first, before anything is shut down.
  @discardableResult
  package func stopping(status: String = "stopping") -> Bool {
    notify(["STOPPING=1", "STATUS=\(Self.line(status))"])
  }

  /// Starting, reloading or stopping takes longer: the manager waits at least this long from now.
  @discardableResult
  package func extendTimeout(by duration: Duration) -> Bool {
    notify(["EXTEND_TIMEOUT_USEC=\(max(1, duration.microseconds))"])
  }

  /// The configuration is read again; `ready` must follow.
  @discardableResult
  package func reloading() -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return notify(["RELOADING=1", "MONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1_000)"])
  }

  /// The service is alive; `Watchdog` decides when this may be said.
  @discardableResult
  package func pingWatchdog() -> Bool {
    watchdogInterval != nil && notify(["WATCHDOG=1"])
  }

  private func notify(_ assignments: [String]) -> Bool {
    notifySocket?.send(assignments) ?? false
  }

  /// The longest status line, in bytes of UTF-8; the manager drops a datagram of 4096.
  static let statusBytesMax = 1000

  /// One line without control characters, cut between characters where it is too long.
  ///
  /// An assignment ends at a line break, so a status that held one could say `READY=1` or `MAINPID=`.
  static func line(_ text: String) -> String {
    var line = ""
    var room = statusBytesMax
    for character in text.trimmingEnds() {
      // A line break of two scalars is one character.
      let isControl = character.unicodeScalars.contains { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      }
      let shown = isControl ? " " : character
      room -= shown.utf8.count
      guard room >= 0 else { break }
      line.append(shown)
    }
    return line
  }
}

extension Duration {
  /// Whole microseconds, rounded down; `Int64.max` beyond its range.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000_000
  }
}

extension String {
  fileprivate func trimmingEnds() -> Substring {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
