import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct ReviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Judge flagged activities.",
    subcommands: [List.self, Show.self, Approve.self, Disqualify.self, RequestInfo.self])

  struct List: ControlCommand {
    static let command = CommandDescription.reviewList

    private static let pageMax: Int64 = 100

    // It may be more than a page: the pages are asked for one by one.
    @Option(help: "How many, by default 1000.")
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
      answer.isEmpty ? "nothing is flagged" : ReviewAnswer.table(answer, style)
    }
  }

  struct Show: ControlCommand {
    static let command = CommandDescription.reviewShow
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .integer(activity.id)]) }

    func text(_ answer: ReviewAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Approve: ReviewDecision {
    static let command = CommandDescription.reviewApprove
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var why: DecisionReason
    @OptionGroup var options: ControlOptions
  }

  struct Disqualify: ReviewDecision {
    static let command = CommandDescription.reviewDisqualify
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var why: DecisionReason
    @OptionGroup var options: ControlOptions
  }

  struct RequestInfo: ReviewDecision {
    static let command = CommandDescription.reviewRequestInfo
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var why: DecisionReason
    @OptionGroup var options: ControlOptions
  }
}

struct ActivityNumber: ParsableArguments {
  @Argument(help: .of(.reviewShow, "id"))
  var id: Int64
}

struct DecisionReason: ParsableArguments {
  @Option(help: .of(.reviewApprove, "reason"))
  var reason: String
}

struct DecisionAnswer: Decodable {
  let activityId: JSONValue
  let status: String
  let affectedRaces: [JSONValue]
}

/// A decision about one activity.
protocol ReviewDecision: ControlCommand where Answer == DecisionAnswer {
  var activity: ActivityNumber { get }
  var why: DecisionReason { get }
}

extension ReviewDecision {
  var request: ControlRequest {
    ControlRequest(Self.command, ["id": .integer(activity.id), "reason": .text(why.reason)])
  }

  func text(_ answer: DecisionAnswer, _ style: Style) -> String {
    let races = answer.affectedRaces.map(\.shown).joined(separator: ", ")
    return "activity \(answer.activityId.shown) is \(Printable.line(answer.status))"
      + (races.isEmpty ? "" : "; the jobs see to races \(races)")
  }
}
