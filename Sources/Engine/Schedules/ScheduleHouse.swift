package import Postgres

/// The schedule parts of a daemon: what it runs, what may be asked, and what it does when it meets a database.
package struct ScheduleHouse: Sendable {
  package let works: [any Work]
  package let commands: [Command]
  private let own: [InternalSchedule]

  /// `own` are the modules' schedules; `operators` says how operators' functions are reached.
  package init(_ own: [InternalSchedule], in context: JobContext, node: String, operators: ConnectionOptions) {
    let own = own + [Self.timeZones(context.pool.options)]
    let runner = ScheduleRunner(own, in: context, node: node, operators: operators)
    works = [SchedulePlanner(in: context), runner]
    commands =
      ScheduleCommands(
        gate: context.gate, operators: OperatorRun(options: operators, pool: context.pool), own: own
      ).commands
    self.own = own
  }

  /// The daemon's own schedules become what this program says, and the zones' future is compared with what was known.
  package func meet(_ connection: Connection) async throws {
    try await ScheduleDefinitions.install(own, connection)
    _ = try await ZoneFuture.check(connection)
  }

  /// Looks for new tz data, on a connection that has no zone in its cache.
  private static func timeZones(_ options: ConnectionOptions) -> InternalSchedule {
    InternalSchedule("time-zone-check", cron: "17 */6 * * *") { _, _, _ in
      let fresh = try await Connection.connect(options)
      let changed: [String]
      do {
        changed = try await ZoneFuture.check(fresh)
      } catch {
        await fresh.close()
        throw error
      }
      await fresh.close()
      return Int64(changed.count)
    }
  }
}
