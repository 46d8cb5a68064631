import Engine
import HostProcess
import HostClock
import Postgres

/// Deposits of one caller, one after another with a short pause, while something else runs.
///
/// The athletes are the herd's: nearly every deposit wants a wallet that a batch has locked or will lock.
struct DepositLoad {
  private let task: Task<[(at: ContinuousClock.Instant, elapsed: Duration)], any Error>

  init(_ app: Connection, athletes: Int64) {
    task = Task {
      var latencies: [(at: ContinuousClock.Instant, elapsed: Duration)] = []
      while !Task.isCancelled {
        let athlete = 1 + (Int64(latencies.count) * 37) % athletes
        let key = "bench/\(latencies.count)"
        let start = ContinuousClock.now
        // A cancelled deposit would be rolled back: each runs to its end.
        try await Task { _ = try await app.query("SELECT racing.deposit(\(athlete), 100, \(key))") }.value
        latencies.append((start, start.duration(to: .now)))
        try? await Host.timekeeper.sleep(.milliseconds(3))
      }
      return latencies
    }
  }

  /// The latencies, in milliseconds, of the deposits that were under way after an instant.
  func stop(since start: ContinuousClock.Instant) async throws -> [Double] {
    task.cancel()
    return try await task.value.filter { $0.at + $0.elapsed >= start }.map { $0.elapsed / .milliseconds(1) }
  }
}
