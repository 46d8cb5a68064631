import Engine
import Operations
import HostProcess
@preconcurrency import Dispatch
import Glibc
import Logging
import Postgres

/// Records that are also kept in their own files: a flood of the journal cannot displace them.
///
/// A line for each record: its fields, and the host's time. Lines are appended and synced. A file belongs to the daemon
/// alone, and is renamed to NAME.1 when it is large.
final class RecordFiles: Sendable {
  private let directory: String
  private let records: [JournalRecord]
  private let logger: Logger
  private let time: Timekeeper
  /// A hanging disk must not block other work.
  private let queue = DispatchQueue(label: "settled.records")

  /// Ten years of nights.
  private static let bytesMax: off_t = 512 * 1024

  init(_ records: [JournalRecord], in directory: String, _ logger: Logger, time: Timekeeper) {
    self.records = records
    self.directory = directory
    self.logger = logger
    self.time = time
  }

  func note(_ observation: Observation) {
    guard case .recorded(let text, let fields) = observation,
      let record = records.first(where: { $0.text == text }), let file = record.file
    else { return }
    let words = record.fields.map { fields[$0] ?? "-" } + [time.wall().description]
    let path = "\(directory)/\(file)"
    let line = words.joined(separator: " ") + "\n"
    queue.async { [self] in
      guard let problem = append(line, to: path) else { return }
      logger.warning(
        "a record could not be written to its file", metadata: ["file": "\(path)", "error": "\(problem)"])
    }
  }

  /// Waits until everything is written.
  func finish() { queue.sync {} }

  /// The error; nil where there was none.
  private func append(_ line: String, to path: String) -> String? {
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

  /// The newest complete line of a record's file; nil if there is none.
  static func newest(of record: JournalRecord, in directory: String) -> KeptRecord? {
    guard let file = record.file, let text = try? Host.text(ofFile: "\(directory)/\(file)") else { return nil }
    for line in text.split(separator: "\n").reversed() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count > record.fields.count, let at = time(words[record.fields.count]) else { continue }
      return KeptRecord(fields: Array(words.prefix(record.fields.count)), at: at)
    }
    return nil
  }

  /// The time that ends a line, to the second; nil if it is not a time.
  private static func time(_ word: String) -> Timestamp? {
    let numbers = word.split { !$0.isNumber }.compactMap { Int32($0) }
    guard numbers.count >= 6, word.hasSuffix("Z") else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return Timestamp(microseconds: Int64(timegm(&parts)) * 1_000_000)
  }
}
