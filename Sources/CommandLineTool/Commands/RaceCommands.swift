import ArgumentParser
import ControlClient

struct RaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "race", abstract: "Show, settle or cancel a race.",
    subcommands: [Show.self, Settle.self, Cancel.self])

  struct Show: ControlCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "A race and its state.")

    @Argument(help: "The race.")
    var id: Int64

    @Flag(help: "Add why each has this place, these pence, this wait.")
    var explain = false

    @Option(help: "With --explain: leave out so many entries of the ranking; 500 are shown.")
    var after: Int64?

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if after != nil && !explain { throw ValidationError("--after needs --explain.") }
    }

    var request: ControlRequest {
      .get(
        "races", String(id),
        query: [("explain", explain ? .boolean(true) : nil), ("after", after.map { .integer($0) })])
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
  struct Cancel: ControlCommand {
    struct Answer: Decodable {
      let raceId: Value
      let status: String
      let refundedPence: Int64
    }

    static let configuration = CommandConfiguration(
      commandName: "cancel", abstract: "Cancel a race that is not settled; every fee goes back in full.")

    @Argument(help: "The race.")
    var id: Int64

    @Option(help: "Why; it is kept in the audit.")
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .post("races", String(id), "cancel", body: [("reason", .text(reason))]) }

    func text(_ answer: Answer, _ style: Style) -> String {
      let back =
        answer.refundedPence == 0 ? "there was no fee to give back" : "\(Sterling.text(answer.refundedPence)) went back"
      return "race \(answer.raceId.text) is \(Printable.line(answer.status)); \(back)"
    }
  }
}
