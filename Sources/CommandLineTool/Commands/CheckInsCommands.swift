import ArgumentParser
import ControlAPI
import ControlClient

struct CheckinsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkins", abstract: "Show check-in days.", subcommands: leaves)
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension CheckinsCommand {
  static let leaves: [any ParsableCommand.Type] = [Status.self]

  struct Status: ControlCommand {
    static let command = CommandDescription.checkinsStatus

    @Option(help: .of(command, "days"))
    var days: Int64?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["days": .given(days)]) }
  }
}
