import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct WithdrawalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdrawal", abstract: "End a withdrawal that the payment provider does not confirm.",
    subcommands: [Complete.self, Fail.self])

  /// A withdrawal, as its athlete sees it.
  struct Transaction: Decodable {
    let id: JSONValue
    let amountPence: Int64
    let status: String

    func text(_ style: Style) -> String {
      "withdrawal \(id.shown) of \(Sterling.text(abs(amountPence))) is \(Printable.line(status))"
    }
  }

  struct Complete: ControlCommand {
    static let command = CommandDescription.withdrawalComplete

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .integer(id)]) }

    func text(_ answer: Transaction, _ style: Style) -> String { answer.text(style) }
  }

  struct Fail: ControlCommand {
    static let command = CommandDescription.withdrawalFail

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["id": .integer(id), "reason": .text(reason)])
    }

    func text(_ answer: Transaction, _ style: Style) -> String { answer.text(style) + ": it is back in the wallet" }
  }
}
