import ArgumentParser
import ControlClient

struct ReviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Judge flagged activities.",
    subcommands: [List.self, Show.self, Approve.self, Disqualify.self, RequestInfo.self])

  struct List: ControlCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Every activity with an open flag or review.")

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .get("reviews") }

    func text(_ answer: [ReviewAnswer], _ style: Style) -> String {
      answer.isEmpty ? "nothing is flagged" : ReviewAnswer.table(answer, style)
    }
  }

  struct Show: ControlCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "An activity, its flags, its races' fields, and what each decision would change.")

    @OptionGroup var activity: ActivityNumber
    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .get("reviews", String(activity.id)) }

    func text(_ answer: ReviewAnswer, _ style: Style) -> String { answer.text(style) }
  }

  struct Approve: ReviewDecision {
    static let configuration = CommandConfiguration(
      commandName: "approve", abstract: "The activity counts; its flags are closed.")
    static let verb = "approve"
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var why: DecisionReason
    @OptionGroup var options: ControlOptions
  }

  struct Disqualify: ReviewDecision {
    static let configuration = CommandConfiguration(
      commandName: "disqualify", abstract: "The activity is out, and its athlete's entries with it. Final.")
    static let verb = "disqualify"
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var why: DecisionReason
    @OptionGroup var options: ControlOptions
  }

  struct RequestInfo: ReviewDecision {
    static let configuration = CommandConfiguration(
      commandName: "request-info", abstract: "Ask the athlete; the activity stays under review.")
    static let verb = "request-info"
    @OptionGroup var activity: ActivityNumber
    @OptionGroup var why: DecisionReason
    @OptionGroup var options: ControlOptions
  }
}

struct ActivityNumber: ParsableArguments {
  @Argument(help: "The activity.")
  var id: Int64
}

struct DecisionReason: ParsableArguments {
  @Option(help: "Why; it is kept with the decision and in the audit.")
  var reason: String
}

struct DecisionAnswer: Decodable {
  let activityId: Value
  let status: String
  let affectedRaces: [Value]
}

/// A decision about one activity.
protocol ReviewDecision: ControlCommand where Answer == DecisionAnswer {
  static var verb: String { get }
  var activity: ActivityNumber { get }
  var why: DecisionReason { get }
}

extension ReviewDecision {
  var request: ControlRequest {
    .post("reviews", String(activity.id), Self.verb, body: [("reason", .text(why.reason))])
  }

  func text(_ answer: DecisionAnswer, _ style: Style) -> String {
    let races = answer.affectedRaces.map(\.text).joined(separator: ", ")
    return "activity \(answer.activityId.text) is \(Printable.line(answer.status))"
      + (races.isEmpty ? "" : "; the jobs see to races \(races)")
  }
}
