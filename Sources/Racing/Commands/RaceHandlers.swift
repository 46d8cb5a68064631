import Engine
import TextCoding
import Operations
import ControlAPI
import Postgres

/// The operators' commands about races.
struct RaceHandlers: Sendable {
  let gate: ClaimGate

  var commands: [Command] {
    [
      Command(.raceList, .read(RaceList.run)),
      Command(.raceShow, .read(show)),
      Command(.racePreview, .read { try await SettleOne(gate: gate).preview(race($0), in: $1).json }),
    ]
  }

  private func race(_ call: CommandCall) -> Int64 { call.integer("id") ?? 0 }

  private func show(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let shown = try await transaction.query(RaceOrderStatements.shown(race(call))).one(JSON.self)
    guard call.flag("explain") else { return shown }
    let after = call.integer("after") ?? 0
    guard let after = Int(exactly: after), after >= 0 else {
      throw CommandError(.usage, rule: "after", "after must be the number of entries to skip, 0 or more")
    }
    return try await RaceExplanation.add(to: shown, of: race(call), after: after, in: transaction)
  }
}
