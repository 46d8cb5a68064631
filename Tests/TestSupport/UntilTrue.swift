import Engine
import HostProcess
import HostClock
import Postgres

/// Looks at a database until it shows what a test waits for, at the longest `limit`.
///
/// For what another process does and nobody tells us. Errors of the connection are looked past: the database may be
/// away for a while.
package func untilTrue(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(90), _ isSo: @Sendable () async throws -> Bool
) async throws {
  let start = ContinuousClock.now
  while true {
    do {
      if try await isSo() { return }
    } catch let error as PostgresError where error.verdict == .connection {}
    guard start.duration(to: .now) < limit else {
      throw TimeLimitError(description: "\(what()) did not come within \(limit)")
    }
    try await pauseBetweenLooks()
  }
}

/// The short pause of a loop that looks again and again for what nobody tells us.
package func pauseBetweenLooks() async throws {
  try await Host.timekeeper.sleep(.milliseconds(10))
}
