package import Postgres
package import Cron

/// A schedule of the daemon itself, which a module declares in addition to its jobs.
///
/// Operators also see it as a job: `jobs` lists it, `job run` plans a run now, `job pause` stops its ticks.
package struct BuiltInSchedule: Sendable {
  /// Does the work in the occurrence's own transaction, at business time `now`, for the tick at `instant`; returns the
  /// number of affected rows. An error makes the occurrence fail permanently, and is a problem until the next run.
  package typealias Action = @Sendable (_ instant: Timestamp, _ now: Timestamp, Transaction) async throws -> Int64

  /// The name of the schedule that looks for new tz data.
  package static let timeZones = "time-zone-check"

  package let schedule: Schedule
  /// Whether it also runs once, immediately, on a database where it is new.
  package let runsAtOnce: Bool
  package let action: Action

  /// A `timeout` above that of the pool's statements gives each run its own connection.
  ///
  /// - Precondition: `cron` is a valid expression; it is a literal in code.
  package init(
    _ name: String, cron: String, zone: String = "UTC", missed: MissedPolicy = .once,
    timeout: Duration = .seconds(30), splay: Duration = .zero, runsAtOnce: Bool = false, action: @escaping Action
  ) {
    precondition((try? CronExpression(cron)) != nil, "an internal schedule has an invalid expression")
    schedule = Schedule(
      name: name, cron: cron, at: nil, zone: zone, call: nil, missed: missed, timeout: timeout, splay: splay)
    self.runsAtOnce = runsAtOnce
    self.action = action
  }
}
