package import Engine
package import Operations
import Postgres

/// Achievements. Apps call its SQL functions; operators need no commands of its own.
package struct AchievementsModule: Module {
  package init() {}

  package func works(in context: JobContext) -> [any Work] {
    [
      JobRunner(AchievementCheckJob(), in: context),
      JobRunner(EvaluationJob(), in: context),
    ]
  }

  package func checks(in context: ModuleContext) -> [Check] {
    [
      .none(
        "overdue achievements",
        "SELECT count(*) FROM achievements.person WHERE due_at < settled.clock() - interval '10 minutes'",
        good: "every reached achievement is unlocked",
        bad: { $0.counted("person has", "people have") + " been waiting for a check for more than 10 minutes" },
        remedy: "settlectl status (is achievement-check paused?), settlectl failures")
    ]
  }

  package let erasures = [Erasure("reader", .number { "SELECT achievements.erase_person(\($0))" })]
}
