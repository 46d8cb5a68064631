import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct PersonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "Erase what is known of a person.", subcommands: [Erase.self])

  struct Erase: ControlCommand {
    static let command = CommandDescription.personErase

    @Argument(help: .of(command, "kind"))
    var kind: String

    @Argument(help: .of(command, "id"))
    var id: String

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["kind": .text(kind), "id": .text(id), "reason": .text(reason)])
    }

    func text(_ answer: JSONValue, _ style: Style) -> String {
      let erased = (answer["erased"]?.members ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.shown)" }
      let kept = answer["kept"]?.elements.compactMap(\.text) ?? []
      return
        "\(Printable.line(kind)) \(Printable.line(id)) is erased: \(Printable.line(erased.joined(separator: ", ")))\n"
        + "kept: \(Printable.line(kept.joined(separator: ", ")))"
    }
  }
}
