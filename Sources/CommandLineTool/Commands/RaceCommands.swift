import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct RaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "race", abstract: "List, show, settle or cancel races.", subcommands: leaves)

  struct Settle: ControlCommand {
    static let command = CommandDescription.raceSettle
    static let dry = CommandDescription.racePreview

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Flag(help: "Show the payments without making them. \(dry.level.shown)")
    var dryRun = false

    @Option(help: .of(command, "expectHash"))
    var expectHash: String?

    @Flag(help: .of(command, "override"))
    var override = false

    @Option(help: .of(command, "reason"))
    var reason: String?

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if override && reason == nil { throw ValidationError("--override requires --reason.") }
      if dryRun && (override || expectHash != nil || reason != nil) {
        throw ValidationError("--dry-run writes nothing: omit --override, --expect-hash and --reason.")
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

    typealias Answer = SettlementAnswer

    func isRefusal(_ answer: SettlementAnswer) -> Bool { !dryRun && answer.settledAt == nil }
  }
}

extension RaceCommand.Show {
  typealias Answer = RaceAnswer

  func validate() throws {
    if after != nil && !explain { throw ValidationError("--after requires --explain.") }
  }
}

extension RaceCommand.Cancel {
  struct Answer: Decodable {
    let raceId: JSONValue
    let status: String
    let refundedPence: Int64
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    let back =
      answer.refundedPence == 0 ? "there were no fees to refund" : "\(Sterling.text(answer.refundedPence)) was refunded"
    return "race \(answer.raceId.shown) is \(Printable.line(answer.status)); \(back)"
  }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension RaceCommand {
  static let leaves: [any ParsableCommand.Type] = [
    List.self,
    Show.self,
    Settle.self,
    Cancel.self,
  ]

  struct List: ControlCommand {
    static let command = CommandDescription.raceList

    @Option(help: .of(command, "status"))
    var status: String?

    @Option(help: .of(command, "type"))
    var type: String?

    @Option(help: .of(command, "category"))
    var category: String?

    @Option(help: .of(command, "after"))
    var after: String?

    @Option(help: .of(command, "limit"))
    var limit: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "status": .given(status),
        "type": .given(type),
        "category": .given(category),
        "after": .given(after),
        "limit": .given(limit),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Show: ControlCommand {
    static let command = CommandDescription.raceShow

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Flag(help: .of(command, "explain"))
    var explain = false

    @Option(help: .of(command, "after"))
    var after: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "explain": .given(explain),
        "after": .given(after),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Cancel: ControlCommand {
    static let command = CommandDescription.raceCancel

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
