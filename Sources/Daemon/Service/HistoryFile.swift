import Engine
import HostProcess
import Operations
@preconcurrency import Dispatch
import Glibc
import Logging
import Synchronization

/// This node's record of its database: one line in the state directory, replaced as a whole.
final class HistoryFile: Sendable {
  static let name = "database-history"

  private let path: String
  private let logger: Logger
  /// A hanging disk must not block other work.
  let queue = DispatchQueue(label: "settled.history")
  /// The shortest time between two writes, if the second is not durable.
  private let interval: Duration
  private let writes = Mutex(Writes())
  /// Why nothing is kept, or why the file cannot be read.
  private let trouble = Mutex<String?>(nil)

  private struct Writes {
    var last: ContinuousClock.Instant?
    /// The newest line that is not written yet.
    var waiting: String?
    var isScheduled = false
  }

  init(in directory: String, _ logger: Logger, interval: Duration = .seconds(1)) {
    self.interval = interval
    path = "\(directory)/\(Self.name)"
    self.logger = logger
  }

  var storage: HistoryStorage {
    HistoryStorage(read: read) { [self] line, isDurable in
      queue.async { [self] in isDurable ? write(line, isDurable: true) : writeLater(line) }
    }
  }

  /// Waits until everything is written.
  func finish() { queue.sync { writeWaiting() } }

  private func writeLater(_ line: String) {
    let pause = writes.withLock { [interval] writes -> Duration? in
      writes.waiting = line
      guard !writes.isScheduled else { return nil }
      writes.isScheduled = true
      return writes.last.map { max(.zero, interval - $0.duration(to: .now)) } ?? .zero
    }
    guard let pause else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause / .milliseconds(1)))) { [self] in writeWaiting() }
  }

  private func writeWaiting() {
    let line = writes.withLock { writes in
      defer { (writes.waiting, writes.isScheduled) = (nil, false) }
      return writes.waiting
    }
    if let line { write(line, isDurable: false) }
  }

  private func write(_ line: String, isDurable: Bool) {
    writes.withLock { writes in
      writes.waiting = nil
      writes.last = .now
    }
    note(problem: replace(with: line, isDurable: isDurable))
  }

  /// The finding of `doctor`.
  var finding: Check.Finding {
    guard let problem = trouble.withLock({ $0 }) else {
      return .init("the database record is saved, so a restore would be detected")
    }
    return .init(
      "the database record is not saved, so a restore would go unnoticed: \(path): \(problem)", ok: false,
      remedy: "make the state directory writable and free up disk space; the next heartbeat rewrites the file")
  }

  /// An unreadable file is renamed: the next line would replace it.
  private func read() -> String? {
    let problem: String
    do {
      guard try isFile(), let text = try Host.text(ofFile: path) else { return nil }
      let line = text.split(separator: "\n").first.map(String.init) ?? ""
      if KeptHistory(line: line) != nil { return line }
      problem = "the file has no valid record"
    } catch {
      problem = "\(error)"
    }
    let isAside = rename(path, path + ".unreadable") == 0
    tell(
      problem: "\(problem); " + (isAside ? "renamed to \(Self.name).unreadable" : "not renamed: \(Self.reason)"))
    return nil
  }

  /// Whether there is something; only a regular file is opened, because opening another kind may block.
  private func isFile() throws(Host.FileError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .unreadable }
      return false
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
    return true
  }

  /// The error; nil where there was none.
  private func replace(with line: String, isDurable: Bool) -> String? {
    let new = path + ".new"
    let file = open(new, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return Self.reason }
    let bytes = Array((line + "\n").utf8)
    let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && (!isDurable || fsync(file) == 0)
    let reason = isWritten ? nil : Self.reason
    close(file)
    return reason ?? (rename(new, path) == 0 ? nil : Self.reason)
  }

  private static var reason: String { String(cString: strerror(errno)) }

  /// Reports once that it cannot be written, until it can.
  private func note(problem: String?) {
    guard let problem else { return trouble.withLock { $0 = nil } }
    tell(problem: problem)
  }

  private func tell(problem: String) {
    let isNews = trouble.withLock { trouble in
      defer { trouble = problem }
      return trouble != problem
    }
    guard isNews else { return }
    logger.warning(
      "the database record cannot be saved: a restore could go unnoticed",
      metadata: ["file": "\(path)", "error": "\(problem)"])
  }
}
