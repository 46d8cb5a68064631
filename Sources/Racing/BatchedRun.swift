import Engine
import Postgres

/// The work of a built-in schedule in batches, each a transaction of its own on a connection beside the pool.
enum BatchedRun {
  /// The limit of a run, and of its own transaction, which is idle meanwhile.
  static let timeout: Duration = .seconds(600)
  /// The time in which a run begins batches. The rest waits for the next run.
  static let beginsFor: Duration = .seconds(300)

  /// Repeats `batch` until it has done nothing, or the time is over; returns the sum of what it has done.
  static func run(
    in context: JobContext, _ batch: @Sendable (Connection) async throws -> Int64
  ) async throws -> Int64 {
    let end = context.time.now() + beginsFor
    return try await context.pool.withDedicatedConnection(timeout: timeout) { connection in
      var done: Int64 = 0
      while context.time.now() < end {
        let count = try await batch(connection)
        guard count > 0 else { break }
        done += count
      }
      return done
    }
  }
}
