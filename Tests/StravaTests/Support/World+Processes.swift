import Postgres
import TestSupport

extension World {
  /// A real daemon, with its state in the directory of its name.
  func process(_ node: String) throws -> SettledProcess {
    try DaemonProcess.start(
      node, url: database.url(.daemon), provider: provider, key: key, stateBelow: directory)
  }

  /// Rejects log-ins, and ends the sessions of the daemons; the test's own sessions stay.
  func setDatabase(open: Bool) async throws {
    try await TestCluster.shared.administer(
      "ALTER DATABASE \(raw: database.database.name) ALLOW_CONNECTIONS \(raw: open ? "true" : "false")")
    if !open { try await owner.endSessions(of: "settled") }
  }
}
