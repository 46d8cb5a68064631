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

  /// The text of a file; nil where there is none. Throws what reading it throws.
  static func text(ofFile path: String) throws -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try String(contentsOfFile: path, encoding: .utf8)
  }
}
