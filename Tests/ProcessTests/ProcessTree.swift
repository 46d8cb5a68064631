import Foundation

/// Processes as /proc shows them now.
struct ProcessTree {
  let pid: Int32
  let commandLine: String

  /// All that descend from a process.
  static func below(_ root: Int32) throws -> [ProcessTree] {
    var children: [Int32: [Int32]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let pid = Int32(name), let parent = parent(of: pid) else { continue }
      children[parent, default: []].append(pid)
    }
    var found: [ProcessTree] = []
    var open = [root]
    while let next = open.popLast() {
      let below = children[next] ?? []
      found += below.map { ProcessTree(pid: $0, commandLine: text("/proc/\($0)/cmdline") ?? "") }
      open += below
    }
    return found
  }

  private static func parent(of pid: Int32) -> Int32? {
    let fields = text("/proc/\(pid)/stat")?.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 1 ? Int32(fields[1]) : nil
  }

  private static func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }
}
