import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct ReviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Decide on flagged activities.", subcommands: leaves)

  struct List: ControlCommand {
    static let command = CommandDescription.reviewList

    private static let pageMax: Int64 = 100

    // It may be more than a page: the pages are requested one by one.
    @Option(help: "Maximum number of activities to list (default: 1000).")
    var limit: Int64 = 1000

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { page(after: nil, of: limit) }

    func following(_ pages: [[ReviewAnswer]]) -> ControlRequest? {
      let left = limit - Int64(pages.map(\.count).reduce(0, +))
      guard left > 0, let page = pages.last, page.count == Self.pageMax, let last = page.last else { return nil }
      return self.page(after: last.activity.id, of: left)
    }

    func joined(_ first: [ReviewAnswer], _ others: [[ReviewAnswer]]) -> [ReviewAnswer] { first + others.flatMap { $0 } }

    private func page(after: Int64?, of limit: Int64) -> ControlRequest {
      ControlRequest(
        Self.command, ["limit": .integer(min(limit, Self.pageMax)), "after": after.map { .integer($0) }])
    }

    func text(_ answer: [ReviewAnswer], _ style: Style) -> String {
      answer.isEmpty ? "no flagged activities" : ReviewAnswer.table(answer, style)
    }
  }
}

extension ReviewCommand.Show { typealias Answer = ReviewAnswer }
extension ReviewCommand.Approve { typealias Answer = DecisionAnswer }
extension ReviewCommand.Disqualify { typealias Answer = DecisionAnswer }
extension ReviewCommand.RequestInfo { typealias Answer = DecisionAnswer }
extension ReviewCommand.Overrule { typealias Answer = DecisionAnswer }

/// A decision about one activity.
struct DecisionAnswer: ShownAnswer {
  let activityId: JSONValue
  let status: String
  let affectedRaces: [JSONValue]
  let missedRaces: [JSONValue]

  func text(_ style: Style) -> String {
    let races = affectedRaces.map(\.shown).joined(separator: ", ")
    let missed = missedRaces.map(\.shown).joined(separator: ", ")
    return "activity \(activityId.shown) is \(Printable.line(status))"
      + (races.isEmpty ? "" : "; races \(races) will be updated")
      + (missed.isEmpty ? "" : "; too late for settled races \(missed)")
  }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension ReviewCommand {
  static let leaves: [any ParsableCommand.Type] = [
    List.self,
    Show.self,
    Approve.self,
    Disqualify.self,
    RequestInfo.self,
    Overrule.self,
  ]

  struct Show: ControlCommand {
    static let command = CommandDescription.reviewShow

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
  }

  struct Approve: ControlCommand {
    static let command = CommandDescription.reviewApprove

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @Option(help: .of(command, "expectHash"))
    var expectHash: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "reason": .given(reason),
        "expectHash": .given(expectHash),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Disqualify: ControlCommand {
    static let command = CommandDescription.reviewDisqualify

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @Option(help: .of(command, "expectHash"))
    var expectHash: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "reason": .given(reason),
        "expectHash": .given(expectHash),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct RequestInfo: ControlCommand {
    static let command = CommandDescription.reviewRequestInfo

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @Option(help: .of(command, "expectHash"))
    var expectHash: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "reason": .given(reason),
        "expectHash": .given(expectHash),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Overrule: ControlCommand {
    static let command = CommandDescription.reviewOverrule

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "decision"))
    var decision: String

    @Option(help: .of(command, "reason"))
    var reason: String

    @Option(help: .of(command, "expectHash"))
    var expectHash: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "id": .given(id),
        "decision": .given(decision),
        "reason": .given(reason),
        "expectHash": .given(expectHash),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}
