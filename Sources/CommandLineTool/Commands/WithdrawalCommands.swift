import ArgumentParser
import ControlClient

struct WithdrawalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdrawal", abstract: "End a withdrawal that the payment provider does not confirm.",
    subcommands: [Complete.self, Fail.self])

  /// A withdrawal, as its athlete sees it.
  struct Transaction: Decodable {
    let id: Value
    let amountPence: Int64
    let status: String

    func text(_ style: Style) -> String {
      "withdrawal \(id.text) of \(Sterling.text(abs(amountPence))) is \(Printable.line(status))"
    }
  }

  struct Complete: ControlCommand {
    static let configuration = CommandConfiguration(commandName: "complete", abstract: "The money has been paid out.")

    @Argument(help: "The withdrawal's transaction.")
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .post("withdrawals", String(id), "complete") }

    func text(_ answer: Transaction, _ style: Style) -> String { answer.text(style) }
  }

  struct Fail: ControlCommand {
    static let configuration = CommandConfiguration(
      commandName: "fail", abstract: "The money was not paid out: it goes back to the wallet.")

    @Argument(help: "The withdrawal's transaction.")
    var id: Int64

    @Option(help: "Why; it is kept in the audit.")
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .post("withdrawals", String(id), "fail", body: [("reason", .text(reason))]) }

    func text(_ answer: Transaction, _ style: Style) -> String { answer.text(style) + ": it is back in the wallet" }
  }
}
