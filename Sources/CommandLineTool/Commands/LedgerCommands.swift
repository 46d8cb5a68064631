import ArgumentParser
import ControlClient

struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Check the books.", subcommands: [Verify.self])

  struct Verify: ControlCommand {
    struct Answer: Decodable {
      struct Difference: Decodable {
        let account: String
        let athleteId: Value?
        let stored: Int64
        let computed: Int64
      }

      let accounts: Int64
      let journals: Int64
      let postings: Int64
      let differences: [Difference]
    }

    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Recompute every balance from the postings; exit 1 when one differs.")

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .get("ledger", "verify") }

    func text(_ answer: Answer, _ style: Style) -> String {
      let sum = "\(answer.accounts) accounts, \(answer.journals) journals, \(answer.postings) postings"
      if answer.differences.isEmpty { return sum + ": " + style("no differences", .green) }
      let table = Table(
        columns: [.left("ACCOUNT", shrinks: true), .right("ATHLETE"), .right("STORED"), .right("COMPUTED")],
        rows: answer.differences.map {
          Table.Row([$0.account, $0.athleteId?.text ?? "-", Sterling.text($0.stored), Sterling.text($0.computed)])
        })
      return sum + ": " + style("\(answer.differences.count) differ", .red) + "\n\n" + table.text(style)
    }

    func isRefusal(_ answer: Answer) -> Bool { !answer.differences.isEmpty }
  }
}
