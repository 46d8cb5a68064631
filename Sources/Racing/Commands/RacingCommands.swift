import Engine
package import Operations
import ControlAPI
import Postgres

/// The operators' commands about racing.
package struct RacingCommands: Sendable {
  private let context: ModuleContext

  package init(context: ModuleContext) {
    self.context = context
  }

  package var commands: [Command] {
    RaceCommands(gate: context.gate).commands + ReviewCommands(gate: context.gate).commands
      + WithdrawalCommands.commands + [
        Command(
          .ledgerVerify, .read(LedgerVerification(kept: { try await KeptHead.binding(context, $0) }).run), isHeavy: true
        )
      ]
  }
}
