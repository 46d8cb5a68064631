package import Engine
import Postgres

/// What operators may ask of racing.
package struct RacingCommands: Sendable {
  private let gate: Gate

  package init(gate: Gate) {
    self.gate = gate
  }

  package var commands: [Command] {
    RaceCommands(gate: gate).commands + ReviewCommands(gate: gate).commands + WithdrawalCommands.commands + [
      Command(
        "ledger.verify", "/v1/ledger/verify", level: .read, summary: "Recompute every balance from the postings.",
        effect: .read { _, transaction in
          try await transaction.query("SELECT racing.verify_ledger()").one(JSON.self)
        })
    ]
  }
}
