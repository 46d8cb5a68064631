import Engine
package import Operations
import ControlAPI
import Postgres

/// The operators' commands about racing.
package struct RacingHandlers: Sendable {
  private let context: ModuleContext

  package init(context: ModuleContext) {
    self.context = context
  }

  package var commands: [Command] {
    RaceHandlers(gate: context.gate).commands + OrderHandlers(gate: context.gate).commands
      + ReviewHandlers(gate: context.gate).commands
      + WithdrawalHandlers.commands + LedgerHandlers.commands + [
        Command(.activityShow, .read(ActivityTrack.run)),
        Command(.athleteShow, .read(AthleteOverview.run)),
        Command(.personCorrect, .change(ProfileCorrection.run)),
        Command(
          .ledgerVerify, .read(LedgerVerification(kept: { try await KeptHead.binding(context, $0) }).run)
        ),
      ]
  }
}
