package import EmbeddedPostgres
import Foundation
import Subprocess
import SystemPackage

/// A cluster of its own whose time zone files a test may replace, as an update of the tz data does.
package struct ZoneServer: Sendable {
  package let cluster: EmbeddedPostgres
  private let files: ScratchDirectory

  /// Why this machine cannot have one; nil where it can. The server gets a mount of its own.
  package static let absence: String? = {
    guard geteuid() == 0 else { return "only root can give a server time zone files of its own" }
    let attempt = Process()
    attempt.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    attempt.arguments = ["--mount", "mount", "--bind", zoneinfo, zoneinfo]
    guard (try? attempt.run()) != nil else { return "/usr/bin/unshare is not installed" }
    attempt.waitUntilExit()
    return attempt.terminationStatus == 0 ? nil : "this machine refuses mounts in a namespace of their own"
  }()

  private static let zoneinfo = "/usr/share/zoneinfo"

  /// A running server with a copy of this machine's files.
  package init(settings: [String: String] = [:]) async throws {
    files = try ScratchDirectory()
    let copied = try await Subprocess.run(
      .path("/bin/cp"), arguments: ["-a", "\(Self.zoneinfo)/.", files.path], output: .discarded,
      error: .string(limit: 1000))
    guard copied.terminationStatus.isSuccess else {
      throw EmbeddedPostgresError(.failed, copied.standardError)
    }
    cluster = try await EmbeddedPostgres.start(
      settings: TestCluster.settings.merging(settings) { $1 }, zoneinfo: files.path)
  }

  /// Gives a zone the rules of another one.
  package func replace(_ zone: String, by other: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(files.path)/\(other)"))
    try data.write(to: URL(fileURLWithPath: "\(files.path)/\(zone)"), options: .atomic)
  }

  package func restart() async throws { try await cluster.restart() }

  package func stop() async { await cluster.stop() }
}
