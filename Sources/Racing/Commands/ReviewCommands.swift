import Engine
import Postgres

/// What operators may ask of reviews; an id is the activity's.
struct ReviewCommands: Sendable {
  let gate: Gate

  var commands: [Command] {
    let id = Command.Parameter("id", .integer, required: true, "The activity.")
    return [
      Command(
        "review.list", "/v1/reviews", level: .read,
        summary: "The activities with an open flag or review.",
        parameters: [
          Command.Parameter("limit", .integer, "How many: 1 to 1000, by default 1000."),
          Command.Parameter("after", .integer, "Only those behind this activity, the last of the page before."),
        ], effect: .read(ReviewList.run), isHeavy: true),
      Command(
        "review.show", "/v1/reviews/{id}", level: .read,
        summary: "An activity, its flags, its races, and what each decision would change.", parameters: [id],
        effect: .preview { call, transaction in
          try await ReviewPreview(activity: call.integer("id") ?? 0, gate: gate).json(in: transaction)
        }),
      decision("approve", "approve", "The activity counts; its flags are closed.", id),
      decision("disqualify", "disqualify", "The activity is out, and its athlete's entries with it. Final.", id),
      decision("request-info", "request_info", "Ask the athlete; the activity stays under review.", id),
    ]
  }

  private func decision(
    _ word: String, _ decision: String, _ summary: String, _ id: Command.Parameter
  ) -> Command {
    Command(
      "review.\(word)", "/v1/reviews/{id}/\(word)", post: true, level: .operate, summary: summary,
      parameters: [id, Command.Parameter("reason", .text, required: true, "Why.")],
      effect: .change { call, transaction in
        let (id, reason) = (call.integer("id") ?? 0, try call.reason())
        let before = try await transaction.query("SELECT racing.review_of(\(id))").one(JSON.self)
        let after = try await transaction.query(
          "SELECT racing.review_activity(\(id), \(decision), \("uid \(call.caller.uid)"), \(reason))"
        ).one(JSON.self)
        return CommandChange(target: "activity \(id)", before: before, after: after)
      })
  }
}
