package import Postgres
package import Schedules

/// A schedule of the daemon itself: what a module hands over beside its jobs.
package struct InternalSchedule: Sendable {
  /// Does the work in the occurrence's own transaction, at business time `now`, for the tick at `instant`; yields how
  /// many rows it concerned. What it throws makes the occurrence failed, for good.
  package typealias Action = @Sendable (_ instant: Timestamp, _ now: Timestamp, Transaction) async throws -> Int64

  package let schedule: Schedule
  package let action: Action

  /// - Precondition: `cron` is an expression; it stands in code.
  package init(
    _ name: String, cron: String, zone: String = "UTC", missed: MissedPolicy = .once,
    timeout: Duration = .seconds(300), splay: Duration = .zero, action: @escaping Action
  ) {
    precondition((try? CronExpression(cron)) != nil, "an internal schedule with a bad expression")
    schedule = Schedule(
      name: name, cron: cron, at: nil, zone: zone, call: nil, missed: missed, timeout: timeout, splay: splay)
    self.action = action
  }
}
