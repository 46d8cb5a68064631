import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct ActivityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity", abstract: "Show an activity.", subcommands: leaves)
}

struct AthleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "athlete", abstract: "Show an athlete.", subcommands: leaves)
}

extension ActivityCommand.Show {
  /// Programs draw them; people see how many there are.
  private static let drawn: Set = ["points", "samples"]

  func text(_ answer: JSONValue, _ style: Style) -> String {
    guard case .members(let members) = Self.command.answer else { return answer.shown }
    return PlainText.text(answer, .members(members.filter { !Self.drawn.contains($0.name) }), style)
  }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension ActivityCommand {
  static let leaves: [any ParsableCommand.Type] = [Show.self]

  struct Show: ControlCommand {
    static let command = CommandDescription.activityShow

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "points"))
    var points: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "points": .given(points),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}

extension AthleteCommand {
  static let leaves: [any ParsableCommand.Type] = [Show.self]

  struct Show: ControlCommand {
    static let command = CommandDescription.athleteShow

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
  }
}
