import Glibc
import Synchronization

/// A directory that has its name once all its files are written.
///
/// Until then it stands beside its place, under that name with six more letters.
final class UnfinishedDirectory: Sendable {
  private let goal: String
  private let path: String
  private let names = Mutex<[String]>([])

  init(beside goal: String) throws(RelayError) {
    var end = goal.utf8[...]
    while end.count > 1, end.last == UInt8(ascii: "/") { end = end.dropLast() }
    self.goal = String(end) ?? goal
    var template = Array((self.goal + ".XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw Self.failed(goal) }
    path = String(cString: made)
  }

  func write(_ text: String, _ name: String) throws(RelayError) {
    let path = path + "/" + name
    // Named first, so that another thread removes it, too.
    names.withLock { $0.append(name) }
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failed(path) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = Self.failed(path)
        close(file)
        throw error
      }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0, close(file) == 0 else { throw Self.failed(path) }
  }

  /// Gives the directory its name, where nothing has it but an empty directory.
  func finish() throws(RelayError) {
    guard rename(path, goal) == 0 else { throw Self.failed(goal) }
  }

  /// Removes it with what was written.
  func remove() {
    for name in names.withLock({ $0 }) { unlink(path + "/" + name) }
    rmdir(path)
  }

  private static func failed(_ path: String) -> RelayError {
    RelayError(.usage, "\(path): \(String(cString: strerror(errno)))")
  }
}
