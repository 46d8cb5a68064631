import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage
import Testing

/// A directory that goes with the value.
final class Directory: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/settled-test-XXXXXX".utf8CString)
    path = try #require(mkdtemp(&template).map { String(cString: $0) })
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, and returns its path.
  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
}

/// The address of a unix socket; nil where the path is too long.
func withAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}

/// Looks again and again until `condition` holds; a test that waits longer than 20 s fails.
func eventually(_ what: Comment, _ condition: () throws -> Bool) async throws {
  let limit = ContinuousClock.now + .seconds(20)
  while ContinuousClock.now < limit {
    if try condition() { return }
    await Task.yield()
  }
  Issue.record(what)
}

/// Where an executable is on the usual path, if it is.
func tool(_ name: String) -> String? {
  ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
}

/// Runs a program to its end; its outputs in one text.
func output(of path: String, _ arguments: [String]) async throws -> (text: String, isSuccess: Bool) {
  let result = try await run(
    .path(FilePath(path)), arguments: Arguments(arguments),
    output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
  return (result.standardOutput + result.standardError, result.terminationStatus.isSuccess)
}
