import Engine
import TextCoding
import Operations
import ControlAPI
import Money
import Postgres

/// The operators' commands about races.
struct RaceHandlers: Sendable {
  let gate: ClaimGate

  var commands: [Command] {
    [
      Command(.raceShow, .read(show), heavyFlag: "explain"),
      Command(.racePreview, .read { try await SettleOne(gate: gate).preview(race($0), in: $1).json }, isHeavy: true),
      Command(.raceSettle, .change(settle)),
      Command(.raceCancel, .change(cancel)),
    ]
  }

  private func race(_ call: CommandCall) -> Int64 { call.integer("id") ?? 0 }

  private func show(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let shown = try await transaction.query("SELECT racing.race(\(race(call)))").one(JSON.self)
    guard call.flag("explain") else { return shown }
    let after = call.integer("after") ?? 0
    guard let after = Int(exactly: after), after >= 0 else {
      throw CommandError(.usage, rule: "after", "after is a number of entries")
    }
    return try await RaceExplanation.add(to: shown, of: race(call), after: after, in: transaction)
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

  private func cancel(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let reason = try call.reason()
    let (before, refunded) = try await CancelRace(gate: gate).cancel(race(call), reason: reason, in: transaction)
    let after: JSONValue = [
      "raceId": .integer(race(call)), "status": "cancelled", "refundedPence": .integer(refunded.amount),
    ]
    return CommandChange(
      target: "race \(race(call))", before: JSONValue.object([("status", .text(before))]).json, after: after.json)
  }
}
