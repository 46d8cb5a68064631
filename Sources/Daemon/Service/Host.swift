package import Engine
import FoundationEssentials
import Glibc
import Postgres

/// What the process is given by the machine: the only place that asks for environment, time and chance.
package enum Host {
  package static var environment: [String: String] { ProcessInfo.processInfo.environment }

  package static var name: String { ProcessInfo.processInfo.hostName }

  package static let timekeeper: Timekeeper = {
    let start = ContinuousClock.now
    return Timekeeper(
      now: { ContinuousClock.now - start },
      boot: { reading(CLOCK_BOOTTIME) },
      bootId: (try? text(ofFile: "/proc/sys/kernel/random/boot_id"))?.trimmed
        ?? "unknown boot \(UInt64.random(in: 0 ... .max))",
      wall: { Timestamp(microseconds: reading(CLOCK_REALTIME).microseconds) },
      sleep: { try await Task.sleep(for: $0, clock: .continuous) },
      draw: { Double.random(in: 0..<1) })
  }()

  private static func reading(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// So many bytes of the system's secure source.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    var source = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...UInt8.max, using: &source) }
  }

  /// Resident memory of this process; 0 where the system does not say.
  static var residentBytes: Int {
    let fields = (try? text(ofFile: "/proc/self/statm"))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
  }

  /// Whether everybody on the machine can read a file.
  static func isPublic(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o004 != 0
  }

  /// No file of ours comes near it: another one is not read to its end.
  static let fileBytesMax = 16 * 1024 * 1024

  /// Why a file is not read.
  enum FileError: Error, CustomStringConvertible {
    case unreadable
    case tooLarge

    var description: String {
      switch self {
      case .unreadable: "cannot be read"
      case .tooLarge: "has more than \(fileBytesMax / 1024 / 1024) MiB (rule file-size)"
      }
    }
  }

  /// The text of a file; nil where there is none.
  ///
  /// Its size is asked first, and counted while it is read: a device or a pipe has none.
  static func text(ofFile path: String) throws(FileError) -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .unreadable }
    guard status.st_size <= fileBytesMax else { throw .tooLarge }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(file, &piece, piece.count)
      guard count >= 0 else { throw .unreadable }
      guard count > 0 else { break }
      guard bytes.count + count <= fileBytesMax else { throw .tooLarge }
      bytes += piece[..<count]
    }
    guard let text = String(bytes: bytes, encoding: .utf8) else { throw .unreadable }
    return text
  }
}
