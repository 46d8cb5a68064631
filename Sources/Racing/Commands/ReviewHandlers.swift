import Engine
import Operations
import ControlAPI
import Postgres

/// The operators' commands about reviews; an id is the activity's.
struct ReviewHandlers: Sendable {
  let gate: ClaimGate

  var commands: [Command] {
    [
      Command(.reviewList, .read(ReviewList.run)),
      Command(
        .reviewShow,
        .preview { call, transaction in
          try await ReviewPreview(activity: call.integer("id") ?? 0, gate: gate).json(in: transaction)
        }),
      decision(.reviewApprove, "approve"),
      decision(.reviewDisqualify, "disqualify"),
      decision(.reviewRequestInfo, "request_info"),
      Command(.reviewOverrule, .change(overrule)),
    ]
  }

  private func overrule(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (id, word, reason) = (call.integer("id") ?? 0, call.text("decision"), try call.reason())
    try await check(call, transaction)
    let before = try await transaction.query("SELECT racing.review_of(\(id))").one(JSON.self)
    let after = try await transaction.query(
      "SELECT racing.overrule_review(\(id), \(word), \("uid \(call.caller.uid)"), \(reason))"
    ).one(JSON.self)
    return CommandChange(target: "activity \(id)", before: before, after: after)
  }

  /// A decision rests on what its operator saw, where `expectHash` has it.
  private func check(_ call: CommandCall, _ transaction: Transaction) async throws {
    guard let expected = call.text("expectHash") else { return }
    try await ReviewPreview(activity: call.integer("id") ?? 0, gate: gate).check(expected, in: transaction)
  }

  /// `word` is the decision, as the contract function takes it.
  private func decision(_ description: CommandDescription, _ word: String) -> Command {
    Command(
      description,
      .change { call, transaction in
        let (id, reason) = (call.integer("id") ?? 0, try call.reason())
        try await check(call, transaction)
        let before = try await transaction.query("SELECT racing.review_of(\(id))").one(JSON.self)
        let after = try await transaction.query(
          "SELECT racing.review_activity(\(id), \(word), \("uid \(call.caller.uid)"), \(reason))"
        ).one(JSON.self)
        return CommandChange(target: "activity \(id)", before: before, after: after)
      })
  }
}
