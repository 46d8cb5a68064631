import Foundation
import TestSupport

/// A real daemon that is configured for a provider, with a state directory that outlives it.
enum DaemonProcess {
  static func start(
    _ node: String, url: String, provider: FakeProvider, key: String, stateBelow directory: ScratchDirectory
  ) throws -> SettledProcess {
    let state = "\(directory.path)/\(node)"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    return try SettledProcess.daemon(
      url: url, node: node,
      [
        "SETTLED_STATE_DIRECTORY": state, "SETTLED_STRAVA_OAUTH_BASE": provider.url,
        "SETTLED_STRAVA_CLIENT_ID": provider.clientId, "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
        "SETTLED_TOKEN_KEY": key,
      ])
  }
}

/// The spool of a node as anybody sees it on disk.
struct SpoolDirectory: Sendable {
  let path: String

  init(of node: String, below directory: ScratchDirectory) {
    path = "\(directory.path)/\(node)/token-spool"
  }

  /// The names of all files, those that were set aside among them.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

  /// The athletes with a reply that is whole.
  var athletes: Set<Int64> {
    Set(
      names.compactMap { name in
        let isWhole = FileManager.default.contents(atPath: "\(path)/\(name)")?.last == UInt8(ascii: "\n")
        return isWhole ? name.split(separator: ".").first.flatMap { Int64($0) } : nil
      })
  }
}
