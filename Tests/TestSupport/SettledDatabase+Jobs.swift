import Daemon
package import Engine
package import Postgres

extension SettledDatabase {
  /// What a job runner of a test needs: the daemon's role, a real stopwatch unless told otherwise, no clock guard.
  package func context(
    _ pool: Pool? = nil, time: Timekeeper? = nil, observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) -> JobContext {
    let time = time ?? Host.timekeeper
    return JobContext(pool: pool ?? self.pool(), time: time, gate: Gate(ClockGuard(time: time)), observe: observe)
  }
}

extension Work {
  /// Works off everything that is due and free; throws what interrupted it.
  @discardableResult
  package func drainAll() async throws -> Int {
    let outcome = await drain(until: Halt(), due: .zero)
    if let interruption = outcome.interruption { throw interruption }
    return outcome.items
  }
}
