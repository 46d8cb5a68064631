import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct WithdrawalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdrawal",
    abstract: "List withdrawals, and complete or fail the ones that the payment provider has not confirmed.",
    subcommands: leaves)

  /// A withdrawal, as its athlete sees it.
  struct Transaction: Decodable {
    let id: JSONValue
    let amountPence: Int64
    let status: String

    func text(_ style: Style) -> String {
      "withdrawal \(id.shown) of \(Sterling.text(abs(amountPence))) is \(Printable.line(status))"
    }
  }
}

extension WithdrawalCommand.Complete {
  func text(_ answer: WithdrawalCommand.Transaction, _ style: Style) -> String { answer.text(style) }
}

extension WithdrawalCommand.Fail {
  func text(_ answer: WithdrawalCommand.Transaction, _ style: Style) -> String {
    answer.text(style) + ": the money is back in the wallet"
  }
}

struct WithdrawalsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdrawals", abstract: "Stop and resume withdrawals.", subcommands: leaves)

  struct Answer: Decodable {
    let stopped: Bool
    let since: String?

    func text(_ style: Style) -> String {
      guard stopped else { return "athletes can withdraw" }
      return "withdrawals are " + style("stopped", .red) + " since \(since.map { Instants.text($0) } ?? "-")"
    }
  }
}

extension WithdrawalsCommand.Stop {
  func text(_ answer: WithdrawalsCommand.Answer, _ style: Style) -> String { answer.text(style) }
}

extension WithdrawalsCommand.Resume {
  func text(_ answer: WithdrawalsCommand.Answer, _ style: Style) -> String { answer.text(style) }
}

struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Show and verify the ledger.", subcommands: leaves)
}

extension LedgerCommand.Verify {
  struct Answer: Decodable {
    struct Difference: Decodable {
      let account: String
      let athleteId: JSONValue?
      let stored: Int64
      let computed: Int64
      /// Of the chain, where amounts are meaningless.
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
    /// Nil from a daemon without it.
    let chain: Chain?
  }

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

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension WithdrawalCommand {
  static let leaves: [any ParsableCommand.Type] = [
    List.self,
    Complete.self,
    Fail.self,
  ]

  struct List: ControlCommand {
    static let command = CommandDescription.withdrawalList

    @Option(help: .of(command, "status"))
    var status: String?

    @Option(help: .of(command, "after"))
    var after: String?

    @Option(help: .of(command, "limit"))
    var limit: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "status": .given(status),
        "after": .given(after),
        "limit": .given(limit),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Complete: ControlCommand {
    static let command = CommandDescription.withdrawalComplete

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
  }

  struct Fail: ControlCommand {
    static let command = CommandDescription.withdrawalFail

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "reason": .given(reason),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}

extension WithdrawalsCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Stop.self,
    Resume.self,
  ]

  struct Stop: ControlCommand {
    static let command = CommandDescription.withdrawalsStop

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .given(reason)]) }
  }

  struct Resume: ControlCommand {
    static let command = CommandDescription.withdrawalsResume

    @Option(help: .of(command, "reason"))
    var reason: String?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .given(reason)]) }
  }
}

extension LedgerCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Verify.self,
    Head.self,
    Balances.self,
    Days.self,
    Journals.self,
    Journal.self,
  ]

  struct Verify: ControlCommand {
    static let command = CommandDescription.ledgerVerify

    @Option(help: .of(command, "head"))
    var head: String?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["head": .given(head)]) }
  }

  struct Head: ControlCommand {
    static let command = CommandDescription.ledgerHead

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }

  struct Balances: ControlCommand {
    static let command = CommandDescription.ledgerBalances

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }

  struct Days: ControlCommand {
    static let command = CommandDescription.ledgerDays

    @Option(help: .of(command, "from"))
    var from: String

    @Option(help: .of(command, "to"))
    var to: String

    @Option(help: .of(command, "zone"))
    var zone: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "from": .given(from),
        "to": .given(to),
        "zone": .given(zone),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Journals: ControlCommand {
    static let command = CommandDescription.ledgerJournals

    @Option(help: .of(command, "race"))
    var race: Int64?

    @Option(help: .of(command, "athlete"))
    var athlete: Int64?

    @Option(help: .of(command, "kind"))
    var kind: String?

    @Option(help: .of(command, "after"))
    var after: String?

    @Option(help: .of(command, "limit"))
    var limit: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "race": .given(race),
        "athlete": .given(athlete),
        "kind": .given(kind),
        "after": .given(after),
        "limit": .given(limit),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Journal: ControlCommand {
    static let command = CommandDescription.ledgerJournal

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
  }
}
