import Engine
import HostProcess
@preconcurrency import Dispatch
import Glibc
import Logging
import Synchronization

/// What this node remembers of its database: one line in the state directory, replaced as a whole.
final class HistoryFile: Sendable {
  static let name = "database-history"

  private let path: String
  private let logger: Logger
  /// A disk that hangs must hold no other work.
  private let queue = DispatchQueue(label: "settled.history")
  private let hasFailed = Mutex(false)

  init(in directory: String, _ logger: Logger) {
    path = "\(directory)/\(Self.name)"
    self.logger = logger
  }

  var storage: HistoryStorage {
    HistoryStorage(read: read) { [self] line in
      queue.async { [self] in note(problem: replace(with: line)) }
    }
  }

  /// Waits until everything is written.
  func finish() { queue.sync {} }

  private func read() -> String? {
    do {
      return try Host.text(ofFile: path).flatMap { $0.split(separator: "\n").first.map(String.init) }
    } catch {
      logger.warning(
        "what is known of the database cannot be read", metadata: ["file": "\(path)", "error": "\(error)"])
      return nil
    }
  }

  /// The error; nil where there was none.
  private func replace(with line: String) -> String? {
    let new = path + ".new"
    let file = open(new, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return Self.reason }
    let bytes = Array((line + "\n").utf8)
    let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    let reason = isWritten ? nil : Self.reason
    close(file)
    return reason ?? (rename(new, path) == 0 ? nil : Self.reason)
  }

  private static var reason: String { String(cString: strerror(errno)) }

  /// Says once that it cannot be written, until it can.
  private func note(problem: String?) {
    let isNews = hasFailed.withLock { hasFailed in
      defer { hasFailed = problem != nil }
      return problem != nil && !hasFailed
    }
    guard isNews, let problem else { return }
    logger.warning(
      "what is known of the database is not kept: a restore may go unnoticed",
      metadata: ["file": "\(path)", "error": "\(problem)"])
  }
}
