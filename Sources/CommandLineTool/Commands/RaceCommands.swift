import ArgumentParser
import ControlClient

struct RaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "race", abstract: "Show or settle a race.", subcommands: [Show.self, Settle.self])

  struct Show: ControlCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "A race and its state.")

    @Argument(help: "The race.")
    var id: Int64

    @Flag(help: "Add why each has this place, these pence, this wait.")
    var explain = false

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      .get("races", String(id), query: [("explain", explain ? .boolean(true) : nil)])
    }

    func text(_ answer: RaceAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Settle: ControlCommand {
    static let configuration = CommandConfiguration(
      commandName: "settle", abstract: "Settle a race that is due, or show what that would pay.")

    @Argument(help: "The race.")
    var id: Int64

    @Flag(help: "Show what it would pay; write nothing.")
    var dryRun = false

    @Option(help: "Refuse unless the inputs have this hash, as the dry run shows it.")
    var expectHash: String?

    @Flag(help: "Skip grace and hold: administrators only, with a reason.")
    var override = false

    @Option(help: "Why; it is kept in the audit.")
    var reason: String?

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if override && reason == nil { throw ValidationError("--override needs --reason.") }
      if dryRun && (override || expectHash != nil || reason != nil) {
        throw ValidationError("--dry-run writes nothing: --override, --expect-hash and --reason mean nothing with it.")
      }
    }

    var request: ControlRequest {
      if dryRun { return .get("races", String(id), "settlement") }
      return .post(
        "races", String(id), "settle",
        body: [
          ("expectHash", expectHash.map { .text($0) }), ("override", override ? .boolean(true) : nil),
          ("reason", reason.map { .text($0) }),
        ])
    }

    func text(_ answer: SettlementAnswer, _ style: Style) -> String { answer.text(style) }

    func isRefusal(_ answer: SettlementAnswer) -> Bool { !dryRun && answer.settledAt == nil }
  }
}

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
