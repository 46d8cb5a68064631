package import Engine
import Postgres

/// What operators may ask of racing.
package struct RacingCommands: Sendable {
  private let gate: Gate
  private let kept: KeptHead

  package init(gate: Gate, kept: @escaping KeptHead) {
    self.gate = gate
    self.kept = kept
  }

  package var commands: [Command] {
    RaceCommands(gate: gate).commands + ReviewCommands(gate: gate).commands + WithdrawalCommands.commands + [
      Command(
        "ledger.verify", "/v1/ledger/verify", level: .read,
        summary:
          "Recompute every balance from the postings, and check the chain over the journals, which must hold the head kept here.",
        parameters: [
          Command.Parameter("head", .text, "An older head of the chain that must be in it: POSITION:HASH.")
        ], effect: .read(LedgerVerification(kept: kept).run), isHeavy: true)
    ]
  }
}
