import FoundationEssentials
import Glibc

/// The machine's part of the process: the only place that asks for environment, time and chance.
package enum Host {
  package static var environment: [String: String] { ProcessInfo.processInfo.environment }

  package static var name: String { ProcessInfo.processInfo.hostName }

  /// Time since some fixed instant; never goes back, regardless of the wall clock.
  package static var elapsed: Duration { reading(CLOCK_MONOTONIC) }

  package static var sinceBoot: Duration { reading(CLOCK_BOOTTIME) }

  /// Since 1970-01-01T00:00:00Z, by the machine's clock.
  package static var wall: Duration { reading(CLOCK_REALTIME) }

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

  /// Raises this process's limit on open files as far as it may; whether so many may be open.
  package static func raiseFileLimit(to count: Int) -> Bool {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    guard limit.rlim_cur < rlim_t(count) else { return true }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur >= rlim_t(count)
  }

  /// Resident memory of this process; 0 where the system does not say.
  package static var residentBytes: Int {
    let fields = (try? text(ofFile: "/proc/self/statm"))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
  }

  /// The path of a program in the directory of this one.
  package static func siblingProgram(_ name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return own.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(name)"
  }

  /// Replaces this process with another program; returns only where that cannot be started.
  package static func execute(_ program: String, _ arguments: [String]) {
    let words = ([program] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    _ = execv(program, words + [nil])
  }

  /// Whether everybody on the machine can read a file.
  package static func isPublic(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o004 != 0
  }

  /// No valid file is nearly as large: a larger one is not read to its end.
  package static let fileBytesMax = 16 * 1024 * 1024

  /// Why a file is not read.
  package enum FileError: Error, CustomStringConvertible {
    case unreadable
    case tooLarge

    package var description: String {
      switch self {
      case .unreadable: "cannot be read"
      case .tooLarge: "has more than \(fileBytesMax / 1024 / 1024) MiB (rule file-size)"
      }
    }
  }

  /// The text of a file; nil where there is none.
  ///
  /// Its size is asked first, and counted while it is read: a device or a pipe has none.
  package static func text(ofFile path: String) throws(FileError) -> String? {
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
