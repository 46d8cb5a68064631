package import Engine
package import Postgres

/// What the daemon composes of check-ins. Apps call its SQL functions; operators need no commands of its own, and its
/// rules have nothing to set.
package enum CheckInsModule {
  /// The jobs of this module, ready to run.
  package static func jobs(in context: JobContext) -> [any Work] {
    [JobRunner(DailyResetJob(), in: context)]
  }

  /// What follows the tz data.
  package static var zoneFollowers: [Statement] { [DailyResetStatements.followZones] }

  package static var checks: [Check] {
    [
      .none(
        "overdue days",
        "SELECT count(*) FROM checkins.zone WHERE next_at < settled.clock() - interval '10 minutes'",
        good: "every day that ended is closed",
        bad: { $0.counted("zone has", "zones have") + " days that ended more than 10 minutes ago and are not closed" },
        remedy: "settlectl status (is daily-reset paused?), settlectl failures")
    ]
  }
}
