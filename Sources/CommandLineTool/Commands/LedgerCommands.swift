import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check the books.", subcommands: [Verify.self])

  struct Verify: ControlCommand {
    struct Answer: Decodable {
      struct Difference: Decodable {
        let account: String
        let athleteId: JSONValue?
        let stored: Int64
        let computed: Int64
        /// Of the chain, where amounts say nothing.
        let finding: String?

        var shown: [String] {
          if let finding { return [account, "-", "-", finding] }
          return [account, athleteId?.shown ?? "-", Sterling.text(stored), Sterling.text(computed)]
        }
      }

      struct Chain: Decodable {
        let position: Int64
        let hash: String
      }

      let accounts: Int64
      let journals: Int64
      let postings: Int64
      let differences: [Difference]
      /// Nil from a daemon that knows none.
      let chain: Chain?
    }

    static let command = CommandDescription.ledgerVerify
    static let configuration = CommandConfiguration(command, more: "; exit 1 when something differs")

    @Option(help: .of(command, "head"))
    var head: String?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["head": head.map { .text($0) }]) }

    func text(_ answer: Answer, _ style: Style) -> String {
      let head = answer.chain.map { $0.position == 0 ? "" : ", chain \($0.position):\($0.hash)" } ?? ""
      let counts = [
        Counted.text(answer.accounts, "account"), Counted.text(answer.journals, "journal"),
        Counted.text(answer.postings, "posting"),
      ]
      let sum = counts.joined(separator: ", ") + head
      if answer.differences.isEmpty { return sum + ": " + style("no differences", .green) }
      let table = Table(
        columns: [.left("ACCOUNT", shrinks: true), .right("ATHLETE"), .right("STORED"), .right("COMPUTED")],
        rows: answer.differences.map { Table.Row($0.shown) })
      return sum + ": " + style(Counted.text(answer.differences.count, "differs", "differ"), .red) + "\n\n"
        + table.text(style)
    }

    func isRefusal(_ answer: Answer) -> Bool { !answer.differences.isEmpty }
  }
}
