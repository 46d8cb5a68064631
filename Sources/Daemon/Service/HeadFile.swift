@preconcurrency import Dispatch
import Engine
import Glibc
import Logging
import Postgres
import Racing

/// The heads of the ledger's chain in a file of their own, beside the journal: whoever drowns the journal does not get
/// at them.
///
/// One line for each audit: position, hash, differences, and the host's time. Lines are appended and synced; the file
/// is the daemon's alone, and is put aside as `ledger-heads.1` when it is large.
final class HeadFile: Sendable {
  private let path: String
  private let logger: Logger
  private let time: Timekeeper
  /// A disk that hangs must hold no other work.
  private let queue = DispatchQueue(label: "settled.ledger-heads")

  /// Ten years of nights.
  private static let bytesMax: off_t = 512 * 1024

  init(in directory: String, _ logger: Logger, time: Timekeeper) {
    path = directory + "/ledger-heads"
    self.logger = logger
    self.time = time
  }

  func note(_ observation: Observation) {
    guard case .recorded(RacingModule.chainHeadText, let fields) = observation else { return }
    let words = ["position", "hash", "differences"].map { fields[$0] ?? "-" } + [time.wall().description]
    let line = words.joined(separator: " ") + "\n"
    queue.async { [self] in
      guard let trouble = append(line) else { return }
      logger.warning(
        "the ledger's head was not kept in its file", metadata: ["file": "\(path)", "error": "\(trouble)"])
    }
  }

  /// Waits until everything is written.
  func finish() { queue.sync {} }

  /// What went wrong; nil where nothing did.
  private func append(_ line: String) -> String? {
    var status = stat()
    if lstat(path, &status) == 0, status.st_size > Self.bytesMax { _ = rename(path, path + ".1") }
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return Self.reason }
    defer { close(file) }
    var bytes = Array(line.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard written > 0 else { return Self.reason }
      bytes = bytes.dropFirst(written)
    }
    return fsync(file) == 0 ? nil : Self.reason
  }

  private static var reason: String { String(cString: strerror(errno)) }

  /// The newest head in the file; nil where there is none.
  static func newest(in directory: String) -> (position: Int64, hash: String)? {
    guard let text = try? Host.text(ofFile: directory + "/ledger-heads") else { return nil }
    for line in text.split(separator: "\n").reversed() {
      let words = line.split(separator: " ")
      if words.count > 2, let position = Int64(words[0]) { return (position, String(words[1])) }
    }
    return nil
  }
}
