package import Engine
import HostProcess
import HostClock
package import Postgres

extension SettledDatabase {
  /// The surroundings of a test's job runner: the daemon's role, a real stopwatch
  /// unless told otherwise, no clock guard.
  package func context(
    _ pool: Pool? = nil, time: Timekeeper? = nil, run: String = "\(UInt64.random(in: 0...UInt64.max))",
    observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) -> JobContext {
    let time = time ?? Host.timekeeper
    return JobContext(
      pool: pool ?? self.pool(), time: time, gate: ClaimGate(ClockGuard(time: time)), run: run, observe: observe)
  }
}

extension Work {
  /// Works off everything that is due and free; throws what interrupted it.
  @discardableResult
  package func runAllDue() async throws -> Int {
    let outcome = await runDue(until: StopFlag(), due: .zero)
    if let interruption = outcome.interruption { throw interruption }
    return outcome.items
  }
}

extension JobRunner {
  /// The same, and waits until the item that is tried beside the batches has been tried.
  @discardableResult
  package func runAllDue() async throws -> Int {
    let outcome = await runDue(until: StopFlag(), due: .zero)
    await finish()
    if let interruption = outcome.interruption { throw interruption }
    return outcome.items
  }
}

extension SettledDatabase {
  /// A copy of a simulated database that `prepare` filled once in this process.
  package static func prepared(
    _ name: String, _ prepare: @escaping @Sendable (Connection) async throws -> Void
  ) async throws -> SettledDatabase {
    let simulated = "settled_simulated"
    try await make(simulated, simulatesClock: true)
    try await TestCluster.shared.template(named: "settled_\(name)", from: simulated) { database in
      let owner = try await database.connect()
      try await prepare(owner)
      await owner.close()
    }
    return SettledDatabase(database: try await TestCluster.shared.database(template: "settled_\(name)"))
  }
}

extension TestDatabase {
  package func migrate(_ migrator: Migrator = Migrator()) async throws -> Migrator.Report {
    try await migrator.migrate(options)
  }
}
