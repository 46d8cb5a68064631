import Foundation
import Postgres
import TestSupport

/// What a daemon and the sessions of all daemons take at a moment.
struct ResourceSample: Sendable, CustomStringConvertible {
  let residentKilobytes: Int
  let descriptors: Int
  let sessions: Int
  /// How many descriptors there are of each kind: `socket`, `anon_inode`, a path.
  let kinds: [String: Int]

  init(_ daemon: SettledProcess, sessions: Int64) throws {
    let memory = try String(contentsOfFile: "/proc/\(daemon.pid)/statm", encoding: .utf8).split(separator: " ")
    residentKilobytes = (Int(memory[1]) ?? 0) * Int(getpagesize()) / 1024
    let folder = "/proc/\(daemon.pid)/fd"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    descriptors = names.count
    kinds = Dictionary(
      names.compactMap { name in
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
          return nil
        }
        return (target.replacing(/:\[\d+\]$/, with: ""), 1)
      }, uniquingKeysWith: +)
    self.sessions = Int(sessions)
  }

  private init(_ resident: Int, _ descriptors: Int, _ sessions: Int, _ kinds: [String: Int]) {
    (residentKilobytes, self.descriptors, self.sessions, self.kinds) = (resident, descriptors, sessions, kinds)
  }

  /// The greatest of each.
  static func greatest(_ samples: some Collection<ResourceSample>) -> ResourceSample {
    ResourceSample(
      samples.map(\.residentKilobytes).max() ?? 0, samples.map(\.descriptors).max() ?? 0,
      samples.map(\.sessions).max() ?? 0,
      samples.map(\.kinds).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) })
  }

  private var sockets: Int { kinds["socket"] ?? 0 }
  private var others: Int { kinds.values.reduce(0, +) - sockets }

  /// What has grown since an early, steady time: memory by more than a quarter and 16 MB, other
  /// descriptors than sockets by more than four. Sockets and sessions come and go with the work, so early
  /// ones may be few just after a fault: they may be eight more than that, or than a node that is fully at
  /// work has. A leak at each fault would be more.
  func growth(since early: ResourceSample) -> [String] {
    var grown: [String] = []
    if residentKilobytes > early.residentKilobytes * 5 / 4 + 16 * 1024 { grown.append("memory") }
    if others > early.others + 4 { grown.append("descriptors") }
    if sockets > max(early.sockets, 40) + 8 { grown.append("sockets") }
    if sessions > max(early.sessions, 3 * 16) + 8 { grown.append("sessions") }
    return grown
  }

  var description: String {
    """
    \(residentKilobytes / 1024) MB, \(descriptors) descriptors (\(
      kinds.sorted { $0.value > $1.value }.prefix(4).map { "\($0.value) \($0.key)" }.joined(separator: ", "))), \
    \(sessions) sessions of all daemons
    """
  }
}
