package import Engine
package import Operations
import ControlAPI
import Postgres

/// Seasons: points of runners, the rewards that their team reaches, and the talks that it is given.
package struct SeasonsModule: Module {
  package init() {}

  package func works(in context: JobContext) -> [any Work] {
    [JobRunner(RewardCheckJob(), in: context), JobRunner(ViewRollupJob(), in: context)]
  }

  package func commands(in context: ModuleContext) -> [Command] {
    [
      Command(.seasonsStatus, .read { try await $1.query(SeasonsStatus.statement).one(JSON.self) }),
      Command(.seasonsVerify, .read(SeasonsVerification.run)),
    ]
  }

  package func checks(in context: ModuleContext) -> [Check] {
    [
      .none(
        "unchecked rewards",
        "SELECT count(*) FROM seasons.team_change WHERE at < settled.clock() - interval '10 minutes'",
        good: "all points have been checked for rewards",
        bad: {
          $0.counted("team total change has", "team total changes have")
            + " been waiting for reward-check for more than 10 minutes"
        },
        remedy: "settlectl status (is reward-check paused?), settlectl failures"),
      .none(
        "uncounted views",
        "SELECT count(*) FROM seasons.uncounted_view WHERE viewed_at < settled.clock() - interval '10 minutes'",
        good: "all team talk views have been counted",
        bad: { $0.counted("view has", "views have") + " been waiting for view-rollup for more than 10 minutes" },
        remedy: "settlectl status (is view-rollup paused?), settlectl failures"),
    ]
  }

  package let erasures = [
    Erasure("runner", .number { "SELECT seasons.erase_runner(\($0))" }),
    Erasure("user", .text { "SELECT seasons.erase_user(\($0))" }),
  ]
}
