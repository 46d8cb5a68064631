import Foundation
import Postgres
import TestSupport

/// What a daemon and the sessions of all daemons take at a moment.
struct ResourceSample: Sendable, CustomStringConvertible {
  let residentKilobytes: Int
  let descriptors: Int
  let sessions: Int

  init(_ daemon: SettledProcess, sessions: Int64) throws {
    let memory = try String(contentsOfFile: "/proc/\(daemon.pid)/statm", encoding: .utf8).split(separator: " ")
    residentKilobytes = (Int(memory[1]) ?? 0) * Int(getpagesize()) / 1024
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").count
    self.sessions = Int(sessions)
  }

  private init(_ resident: Int, _ descriptors: Int, _ sessions: Int) {
    (residentKilobytes, self.descriptors, self.sessions) = (resident, descriptors, sessions)
  }

  /// The greatest of each.
  static func greatest(_ samples: some Collection<ResourceSample>) -> ResourceSample {
    ResourceSample(
      samples.map(\.residentKilobytes).max() ?? 0, samples.map(\.descriptors).max() ?? 0,
      samples.map(\.sessions).max() ?? 0)
  }

  /// What has grown since an early, steady time: by more than a quarter and 16 MB, or by more than eight.
  func growth(since early: ResourceSample) -> [String] {
    var grown: [String] = []
    if residentKilobytes > early.residentKilobytes * 5 / 4 + 16 * 1024 { grown.append("memory") }
    if descriptors > early.descriptors + 8 { grown.append("descriptors") }
    if sessions > early.sessions + 8 { grown.append("sessions") }
    return grown
  }

  var description: String {
    "\(residentKilobytes / 1024) MB, \(descriptors) descriptors, \(sessions) sessions of all daemons"
  }
}
