import ControlAPI
package import Engine
import Postgres

/// Seasons: points of runners, and the rewards that their team reaches.
package struct SeasonsModule: Module {
  package init() {}

  package func works(in context: JobContext) -> [any Work] {
    [JobRunner(RewardCheckJob(), in: context)]
  }

  package func commands(in context: ModuleContext) -> [Command] {
    [Command(.seasonsVerify, .read(SeasonsVerification.run), isHeavy: true)]
  }

  package func checks(in context: ModuleContext) -> [Check] {
    [
      .none(
        "unchecked rewards",
        "SELECT count(*) FROM seasons.team_change WHERE at < settled.clock() - interval '10 minutes'",
        good: "rewards are checked for all points",
        bad: { $0.counted("change", "changes") + " of team totals wait for the reward-check for more than 10 minutes" },
        remedy: "settlectl status (is reward-check paused?), settlectl failures")
    ]
  }
}
