import Engine
import Synchronization

/// A runner that answers as it is told, and remembers what it was asked.
final class StubRunner: CommandRunner {
  typealias Answer = @Sendable (CommandCall) async throws -> String

  let commands: [Command]
  private let answers: Mutex<[String: Answer]>
  private let asked = Mutex<[(command: String, call: CommandCall)]>([])

  init(_ answers: [String: Answer] = [:], commands: [Command] = StubRunner.table) {
    self.commands = commands
    self.answers = Mutex(answers)
  }

  var calls: [(command: String, call: CommandCall)] { asked.withLock { $0 } }

  /// Without an answer of its own, a command says its name.
  func run(_ command: Command, _ call: CommandCall) async throws -> String {
    asked.withLock { $0.append((command.name, call)) }
    if let answer = answers.withLock({ $0[command.name] }) { return try await answer(call) }
    return #"{"command":"\#(command.name)"}"#
  }

  /// The paths that settlectl uses, with their levels (design.md, Processes and sockets).
  static let table: [Command] = {
    let id = Command.Parameter("id", .integer, required: true, "Which.")
    let name = Command.Parameter("name", .text, required: true, "The job.")
    let limit = Command.Parameter("limit", .integer, "How many.")
    let reason = Command.Parameter("reason", .text, "Why.")
    let why = Command.Parameter("reason", .text, required: true, "Why.")
    return [
      get("status", "/v1/status"), get("jobs", "/v1/jobs"),
      post("job.run", "/v1/jobs/{name}/run", .operate, [name]),
      post("job.pause", "/v1/jobs/{name}/pause", .operate, [name]),
      post("job.resume", "/v1/jobs/{name}/resume", .operate, [name]),
      get("next", "/v1/next", [limit]),
      get(
        "failures", "/v1/failures", [limit, integer("after"), Command.Parameter("quarantined", .boolean, "It was.")]),
      post("failure.retry", "/v1/failures/{id}/retry", .operate, [id]),
      post("failure.drop", "/v1/failures/{id}/drop", .operate, [id, why]),
      get("race.show", "/v1/races/{id}", [id, Command.Parameter("explain", .boolean, "Why.")]),
      get("race.preview", "/v1/races/{id}/settlement", [id]),
      post(
        "race.settle", "/v1/races/{id}/settle", .operate,
        [
          id, Command.Parameter("expectHash", .text, "The hash."), Command.Parameter("override", .boolean, "Now."),
          reason,
        ]),
      get("schedule.list", "/v1/schedules"),
      post("schedule.add", "/v1/schedules", .admin, [name] + definition),
      post("schedule.remove", "/v1/schedules/{name}/remove", .admin, [name]),
      post("schedule.pause", "/v1/schedules/{name}/pause", .operate, [name]),
      post("schedule.resume", "/v1/schedules/{name}/resume", .operate, [name]),
      get("schedule.preview", "/v1/schedules/preview", texts("cron", "zone", "from") + [integer("count")]),
      post("schedule.backfill", "/v1/schedules/{name}/backfill", .admin, [name] + texts("from", "to")),
      get("schedule.backfill.preview", "/v1/schedules/{name}/backfill", [name] + texts("from", "to")),
      get("occurrences", "/v1/occurrences", texts("name", "from", "to", "status") + [limit]),
      get("audit.schedule", "/v1/audit/schedule", texts("from", "to", "schedule")),
      get("review.list", "/v1/reviews", [limit, integer("after")]), get("review.show", "/v1/reviews/{id}", [id]),
      post("review.approve", "/v1/reviews/{id}/approve", .operate, [id, why]),
      post("review.disqualify", "/v1/reviews/{id}/disqualify", .operate, [id, why]),
      post("review.request-info", "/v1/reviews/{id}/request-info", .operate, [id, why]),
      post("race.cancel", "/v1/races/{id}/cancel", .admin, [id, why]),
      post("withdrawal.complete", "/v1/withdrawals/{id}/complete", .admin, [id]),
      post("withdrawal.fail", "/v1/withdrawals/{id}/fail", .admin, [id, why]),
      get("ledger.verify", "/v1/ledger/verify"), get("settings", "/v1/settings"),
      post(
        "set", "/v1/settings/{key}", .admin,
        [
          Command.Parameter("key", .text, required: true, "The setting."),
          Command.Parameter("value", .text, required: true, "Its value."), reason,
        ]),
      get("audit.log", "/v1/audit/log", [Command.Parameter("from", .text, "Since."), limit]),
      get("nodes", "/v1/nodes"), post("drain", "/v1/drain", .operate), post("undrain", "/v1/undrain", .operate),
      post("reload", "/v1/reload", .admin),
      post("clock.accept", "/v1/clock/accept", .admin, [why]), get("doctor", "/v1/doctor"),
    ]
  }()

  private static let definition =
    texts("cron", "zone", "at", "call", "missed", "within", "timeout", "splay") + [
      integer("max"), Command.Parameter("replace", .boolean, "Replace."),
    ]

  private static func texts(_ names: String...) -> [Command.Parameter] {
    names.map { Command.Parameter($0, .text, "A text.") }
  }

  private static func integer(_ name: String) -> Command.Parameter { Command.Parameter(name, .integer, "A number.") }

  private static func get(_ name: String, _ path: String, _ parameters: [Command.Parameter] = []) -> Command {
    Command(name, path, level: .read, summary: "Shows \(name).", parameters: parameters, effect: unused)
  }

  private static func post(
    _ name: String, _ path: String, _ level: CommandLevel, _ parameters: [Command.Parameter] = []
  ) -> Command {
    Command(name, path, post: true, level: level, summary: "Does \(name).", parameters: parameters, effect: unused)
  }

  private static let unused = Command.Effect.local { _ in preconditionFailure("the stub answers for itself") }
}
