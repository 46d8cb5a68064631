package import Engine
import Postgres

/// What operators may ask of racing.
package struct RacingCommands: Sendable {
  private let context: ModuleContext

  package init(context: ModuleContext) {
    self.context = context
  }

  package var commands: [Command] {
    RaceCommands(gate: context.gate).commands + ReviewCommands(gate: context.gate).commands
      + WithdrawalCommands.commands + [
        Command(
          "ledger.verify", "/v1/ledger/verify", level: .read,
          summary:
            "Recompute every balance from the postings, and check the chain over the journals, which must hold the head kept here.",
          parameters: [
            Command.Parameter("head", .text, "An older head of the chain that must be in it: POSITION:HASH.")
          ], effect: .read(LedgerVerification(kept: { KeptHead.newest(context) }).run), isHeavy: true)
      ]
  }
}
