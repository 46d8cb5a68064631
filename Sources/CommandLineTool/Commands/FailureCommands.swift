import ArgumentParser
import ControlClient

/// An item that failed and has not succeeded since.
struct FailureAnswer: Decodable {
  let id: Value
  let job: String
  let key: Value
  let attempts: Int
  let lastAt: String?
  let nextAttemptAt: String?
  let quarantined: Bool
  let dropped: String?
  let error: String

  static func text(_ failures: [FailureAnswer], _ style: Style) -> String {
    Table(
      columns: [
        .right("ID"), .left("JOB", shrinks: true), .left("KEY", shrinks: true), .right("TRIES"), .left("LAST TRY"),
        .left("NEXT TRY"),
      ],
      rows: failures.map { failure in
        let next =
          failure.dropped != nil
          ? "dropped" : failure.quarantined ? "quarantined" : Instants.text(failure.nextAttemptAt)
        let why = failure.dropped.map { "dropped: \($0); " } ?? ""
        return Table.Row(
          [
            failure.id.text, failure.job, failure.key.text, String(failure.attempts), Instants.text(failure.lastAt),
            next,
          ], detail: why + failure.error, colour: failure.quarantined ? .red : nil)
      }
    ).text(style)
  }
}

struct FailuresCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "failures", abstract: "Items that failed and have not succeeded since.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .get("failures") }

  func text(_ answer: [FailureAnswer], _ style: Style) -> String {
    answer.isEmpty ? "no failures" : FailureAnswer.text(answer, style)
  }
}

struct RetryCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Try a failed item again now, its attempts forgotten.")

  @Argument(help: "The failure, as `settlectl failures` numbers it.")
  var id: Int64

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .post("failures", String(id), "retry") }

  func text(_ answer: FailureAnswer, _ style: Style) -> String { FailureAnswer.text([answer], style) }
}

struct DropCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop", abstract: "Leave a failed item out until its inputs change; refused where it holds money.")

  @Argument(help: "The failure, as `settlectl failures` numbers it.")
  var id: Int64

  @Option(help: "Why; it is kept in the audit.")
  var reason: String

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .post("failures", String(id), "drop", body: [("reason", .text(reason))]) }

  func text(_ answer: FailureAnswer, _ style: Style) -> String { FailureAnswer.text([answer], style) }
}
