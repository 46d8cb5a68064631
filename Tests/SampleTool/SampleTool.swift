import ArgumentParser
import CommandLineTool
import ControlAPI
import ControlClient
import Sample

/// settlectl with the commands of one module more.
struct SampleTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settlectl", subcommands: SettlectlCommand.configuration.subcommands + [ParcelCommand.self])
}

struct ParcelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parcel", abstract: "See parcels.", subcommands: [Show.self])

  struct Show: ControlCommand {
    static let command = CommandDescription.parcelShow

    struct Answer: Decodable {
      let id: Int64
      let packed: Bool
      let receipt: Int64?
    }

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .integer(id)]) }

    func text(_ answer: Answer, _ style: Style) -> String {
      "parcel \(answer.id) is \(answer.receipt.map { "posted with receipt \($0)" } ?? (answer.packed ? "packed" : "new"))"
    }
  }
}
