import Engine
import HostProcess
import HostClock
import Postgres

/// Deposits of one caller, one after another with a short pause, while something else runs.
struct DepositLoad {
  private let task: Task<[(at: ContinuousClock.Instant, elapsed: Duration)], any Error>

  init(_ app: Connection, of athletes: ClosedRange<Int64>) {
    task = Task {
      var latencies: [(at: ContinuousClock.Instant, elapsed: Duration)] = []
      while !Task.isCancelled {
        let athlete = athletes.lowerBound + (Int64(latencies.count) * 37) % Int64(athletes.count)
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
