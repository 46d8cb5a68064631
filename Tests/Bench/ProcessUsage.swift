import Foundation
import Postgres

/// The kernel's counts of a process.
struct ProcessUsage {
  /// Processor time, all threads, in seconds.
  let processor: Double
  let residentMegabytes: Double

  init(pid: Int32) throws {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The name, in parentheses, may hold anything; the fields after it are numbers, the state first.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    let ticks = (Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)
    processor = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    let memory = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ")
    residentMegabytes = (Double(memory[1]) ?? 0) * Double(getpagesize()) / 1_048_576
  }
}

extension ProcessUsage {
  /// Processor time of the server's processes that an application has in this database, in milliseconds.
  ///
  /// On a busy machine it says more than the clock on the wall.
  static func server(of application: String, _ owner: Connection) async throws -> Double {
    let pids = try await owner.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = \(application)"
    ).decode(Int32.self)
    return try pids.reduce(0) { $0 + (try ProcessUsage(pid: $1).processor) * 1000 }
  }
}
