package import Engine
import Postgres

/// What operators may ask of racing.
package struct RacingCommands: Sendable {
  private let gate: Gate

  package init(gate: Gate) {
    self.gate = gate
  }

  package var commands: [Command] {
    let id = Command.Parameter("id", .integer, required: true, "The race.")
    return [
      Command(
        "race.show", "/v1/races/{id}", level: .read,
        summary: "A race; explained: why this place, these pence, this wait.",
        parameters: [id, Command.Parameter("explain", .boolean, "Add ranking, split and hold.")],
        effect: .read(show)),
      Command(
        "race.preview", "/v1/races/{id}/settlement", level: .read,
        summary: "What settling an ended race would pay now; nothing is committed.", parameters: [id],
        effect: .preview { try await SettleOne(gate: gate).preview(race($0), in: $1).json }),
      Command(
        "race.settle", "/v1/races/{id}/settle", post: true, level: .operate, summary: "Settle a race that is due.",
        parameters: [
          id, Command.Parameter("expectHash", .text, "Refuse unless the inputs have this hash."),
          Command.Parameter("override", .boolean, "Skip grace and hold: admin only, with a reason."),
          Command.Parameter("reason", .text, "Why."),
        ], effect: .change(settle)),
      Command(
        "ledger.verify", "/v1/ledger/verify", level: .read, summary: "Recompute every balance from the postings.",
        effect: .read { _, transaction in
          try await transaction.query("SELECT racing.verify_ledger()").one(JSON.self)
        }),
    ]
  }

  private func race(_ call: CommandCall) -> Int64 { call.integer("id") ?? 0 }

  private func show(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let shown = try await transaction.query("SELECT racing.race(\(race(call)))").one(JSON.self)
    guard call.flag("explain") else { return shown }
    return try await RaceExplanation.add(to: shown, of: race(call), in: transaction)
  }

  private func settle(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let isOverride = call.flag("override")
    if isOverride, call.caller.level < .admin {
      throw CommandError(.denied, rule: "level", "an override needs the level admin")
    }
    if isOverride, call.text("reason")?.isEmpty ?? true {
      throw CommandError(.usage, rule: "reason", "an override needs a reason")
    }
    let preview = try await SettleOne(gate: gate).settle(
      race(call), expecting: call.text("expectHash"), overriding: isOverride, in: transaction)
    return CommandChange(
      target: "race \(race(call))", before: JSONValue.object([("status", "ended")]).json, after: preview.json)
  }
}
