package import Engine
package import Operations
import ControlAPI
package import Postgres

/// Check-ins. Apps call its SQL functions; operators look at its days.
package struct CheckInsModule: Module {
  package init() {}

  package func works(in context: JobContext) -> [any Work] {
    [JobRunner(DailyResetJob(), in: context)]
  }

  package func commands(in context: ModuleContext) -> [Command] {
    [Command(.checkinsStatus, .read(CheckInsStatus.run))]
  }

  package let timeline = DayTimeline.sources

  package let erasures = [Erasure("checkin", .text { "SELECT checkins.erase_profile(\($0))" })]

  package let topics = ["day.closed": "daily-reset"]

  package var zoneUpdates: [Statement] { [DailyResetRows.meetZones, DailyResetRows.followZones] }

  package func checks(in context: ModuleContext) -> [Check] {
    [
      .none(
        "overdue days",
        "SELECT count(*) FROM checkins.zone WHERE next_at < settled.clock() - interval '10 minutes'",
        good: "every day that has ended is closed",
        bad: { $0.counted("zone has", "zones have") + " days that ended more than 10 minutes ago and are not closed" },
        remedy: "settlectl status (is daily-reset paused?), settlectl failures")
    ]
  }
}
