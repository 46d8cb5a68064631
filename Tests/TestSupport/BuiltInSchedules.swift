package import Engine
package import Operations
import Scheduling
package import Postgres
import Synchronization

/// The daemon's own schedules on a test's database, which run when the test says so.
package struct BuiltInSchedules: Sendable {
  package let database: SettledDatabase
  package let owner: Connection
  package let pool: Pool
  package let system: ScheduleSystem
  private let seen: Seen

  package init(
    _ database: SettledDatabase, modules: [any Module] = [], time: Timekeeper? = nil
  ) async throws {
    self.database = database
    owner = try await database.connect()
    pool = database.pool()
    let seen = Seen()
    self.seen = seen
    system = Self.system(database, pool, modules: modules, time: time) { seen.add($0) }
    try await pool.withConnection { [system] in try await system.meet($0) }
    try await system.compareTimeZones()
  }

  /// The schedules of these modules and the engine's own.
  package static func system(
    _ database: SettledDatabase, _ pool: Pool, modules: [any Module] = [], node: String = "one",
    time: Timekeeper? = nil,
    observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) -> ScheduleSystem {
    let context = database.context(pool, time: time, observe: observe)
    return ScheduleSystem(
      modules.flatMap { $0.schedules(in: context) } + [HistoryPruning(in: context).schedule], in: context, node: node,
      operators: database.options(.daemon))
  }

  /// The observations, oldest first.
  package var observations: [Observation] { seen.all }

  /// The texts of warnings about a job.
  package func warnings(_ job: String) -> [String] {
    observations.compactMap { if case .warning(job, let key, let text) = $0 { "\(key): \(text)" } else { nil } }
  }

  /// Sets the clock, plans, runs, and waits for the runs.
  package func pass(to instant: String) async throws {
    try await database.setClock(instant)
    try await work()
  }

  package func work() async throws {
    try await Self.work(system)
  }

  package static func work(_ system: ScheduleSystem) async throws {
    var items = 0
    repeat {
      items = 0
      for work in system.works {
        items += try await work.runAllDue()
        await work.finish()
      }
    } while items > 0
  }

  /// Has a schedule run now, as `job run` does; returns how it ended: status and reason.
  @discardableResult
  package func run(_ name: String) async throws -> String {
    try await pool.transaction { [system] in try await system.jobs.run(name, at: BusinessClock.read($0), $0) }
    try await work()
    return try await last(name)
  }

  /// Status and reason of a schedule's latest run.
  package func last(_ name: String) async throws -> String {
    try await owner.query(
      """
      SELECT concat_ws(' ', status, reason) FROM settled.occurrence WHERE schedule = \(name) ORDER BY instant DESC LIMIT 1
      """
    ).one(String.self)
  }

  package func count(_ statement: Statement) async throws -> Int64 {
    try await owner.query(statement).one(Int64.self)
  }
}

private final class Seen: Sendable {
  private let state = Mutex<[Observation]>([])

  var all: [Observation] { state.withLock { $0 } }

  func add(_ observation: Observation) {
    state.withLock { $0.append(observation) }
  }
}
