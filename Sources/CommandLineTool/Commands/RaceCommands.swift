import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct RaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "race", abstract: "Show, settle or cancel a race.",
    subcommands: [Show.self, Settle.self, Cancel.self])

  struct Show: ControlCommand {
    static let command = CommandDescription.raceShow

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Flag(help: .of(command, "explain"))
    var explain = false

    @Option(help: .of(command, "after"))
    var after: Int64?

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if after != nil && !explain { throw ValidationError("--after needs --explain.") }
    }

    var request: ControlRequest {
      ControlRequest(
        Self.command,
        ["id": .integer(id), "explain": explain ? .boolean(true) : nil, "after": after.map { .integer($0) }])
    }

    func text(_ answer: RaceAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Settle: ControlCommand {
    static let command = CommandDescription.raceSettle
    static let dry = CommandDescription.racePreview
    static let configuration = CommandConfiguration(command, more: ", or show what that would pay")

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Flag(help: "Show what it would pay; write nothing. \(dry.level.shown)")
    var dryRun = false

    @Option(help: .of(command, "expectHash"))
    var expectHash: String?

    @Flag(help: .of(command, "override"))
    var override = false

    @Option(help: .of(command, "reason"))
    var reason: String?

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if override && reason == nil { throw ValidationError("--override needs --reason.") }
      if dryRun && (override || expectHash != nil || reason != nil) {
        throw ValidationError("--dry-run writes nothing: --override, --expect-hash and --reason mean nothing with it.")
      }
    }

    var request: ControlRequest {
      if dryRun { return ControlRequest(Self.dry, ["id": .integer(id)]) }
      return ControlRequest(
        Self.command,
        [
          "id": .integer(id), "expectHash": expectHash.map { .text($0) }, "override": override ? .boolean(true) : nil,
          "reason": reason.map { .text($0) },
        ])
    }

    func text(_ answer: SettlementAnswer, _ style: Style) -> String { answer.text(style) }

    func isRefusal(_ answer: SettlementAnswer) -> Bool { !dryRun && answer.settledAt == nil }
  }

  struct Cancel: ControlCommand {
    struct Answer: Decodable {
      let raceId: JSONValue
      let status: String
      let refundedPence: Int64
    }

    static let command = CommandDescription.raceCancel

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["id": .integer(id), "reason": .text(reason)])
    }

    func text(_ answer: Answer, _ style: Style) -> String {
      let back =
        answer.refundedPence == 0 ? "there was no fee to give back" : "\(Sterling.text(answer.refundedPence)) went back"
      return "race \(answer.raceId.shown) is \(Printable.line(answer.status)); \(back)"
    }
  }
}
