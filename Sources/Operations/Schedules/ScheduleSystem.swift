package import Engine
package import Scheduling
package import Postgres

/// The schedules of a daemon: works, commands, checks, and the installation of built-in schedules.
package struct ScheduleSystem: Sendable {
  /// The events that the engine's own schedules write.
  package static let topics = ["time_zones.changed": "time-zone-check"]

  package static let figures = ScheduleFigures.all

  package let works: [any Work]
  package let commands: [Command]
  package let checks: [Check]
  /// The built-in schedules as jobs.
  package let jobs: ScheduleJobs
  private let builtIn: [BuiltInSchedule]
  private let context: JobContext
  private let zoneUpdates: [Statement]

  /// `builtIn` are the modules' schedules; `zoneUpdates` recompute the modules' stored instants from the tz data, on a
  /// connection without a cached zone; `operators` defines how operators' functions are called.
  package init(
    _ builtIn: [BuiltInSchedule], zoneUpdates: [Statement] = [], in context: JobContext, node: String,
    operators: ConnectionOptions
  ) {
    let builtIn = builtIn + [Self.timeZones(context, zoneUpdates)]
    jobs = ScheduleJobs(builtIn)
    works = [
      SchedulePlanner(in: context), ScheduleRunner(operators: operators, in: context, node: node),
      ScheduleRunner(builtIn, in: context, node: node),
    ]
    let login = ScheduleLogin(options: operators)
    commands = ScheduleHandlers(gate: context.gate, login: login, builtIn: builtIn).commands
    checks = [login.doctorCheck]
    self.builtIn = builtIn
    self.context = context
    self.zoneUpdates = zoneUpdates
  }

  /// Makes the daemon's own schedules those of this program.
  package func meet(_ connection: Connection) async throws {
    try await ScheduleDefinitions.install(builtIn, connection)
  }

  /// Compares the zones in use with their stored offsets, as the schedule does; this covers the time while no daemon
  /// ran.
  package func compareTimeZones() async throws {
    _ = try await Self.checkTimeZones(context, zoneUpdates)
  }

  private static func timeZones(_ context: JobContext, _ updates: [Statement]) -> BuiltInSchedule {
    BuiltInSchedule(BuiltInSchedule.timeZones, cron: "17 */6 * * *") { _, _, _ in
      Int64(try await checkTimeZones(context, updates).count)
    }
  }

  /// Looks for new tz data, on a connection without a cached zone.
  private static func checkTimeZones(_ context: JobContext, _ updates: [Statement]) async throws -> [String] {
    try await context.pool.withDedicatedConnection { try await ZoneFuture.check($0, updates: updates) }
  }
}
