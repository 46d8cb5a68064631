package import Engine
package import Scheduling
package import Postgres

/// The schedule parts of a daemon: what it runs, what may be asked, and what it does when it meets a database.
package struct ScheduleHouse: Sendable {
  package let works: [any Work]
  package let commands: [Command]
  package let checks: [Check]
  /// The modules' schedules as jobs.
  package let jobs: ScheduleJobs
  private let own: [BuiltInSchedule]
  private let zoneFollowers: [Statement]

  /// `own` are the modules' schedules; `zoneFollowers` bring instants that modules keep to what the tz data say, on a
  /// connection that has no zone in its cache; `operators` says how operators' functions are reached.
  package init(
    _ own: [BuiltInSchedule], zoneFollowers: [Statement] = [], in context: JobContext, node: String,
    operators: ConnectionOptions
  ) {
    jobs = ScheduleJobs(own)
    let own = own + [Self.timeZones(context, zoneFollowers)]
    works = [
      SchedulePlanner(in: context), ScheduleRunner(operators: operators, in: context, node: node),
      ScheduleRunner(own, in: context, node: node),
    ]
    let login = ScheduleLogin(options: operators)
    commands = ScheduleCommands(gate: context.gate, login: login, own: own).commands
    checks = [login.doctorCheck]
    self.own = own
    self.zoneFollowers = zoneFollowers
  }

  /// The daemon's own schedules become what this program says, and the zones' future is compared with what was known.
  package func meet(_ connection: Connection) async throws {
    try await ScheduleDefinitions.install(own, connection)
    _ = try await ZoneFuture.check(connection, successors: zoneFollowers)
  }

  /// Looks for new tz data, on a connection that has no zone in its cache.
  private static func timeZones(_ context: JobContext, _ successors: [Statement]) -> BuiltInSchedule {
    BuiltInSchedule(BuiltInSchedule.timeZones, cron: "17 */6 * * *") { _, _, _ in
      Int64(try await context.pool.apart { try await ZoneFuture.check($0, successors: successors) }.count)
    }
  }
}
