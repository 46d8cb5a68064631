import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

/// An item that failed and has not succeeded since.
struct FailureAnswer: ShownAnswer {
  let id: JSONValue
  let job: String
  let key: JSONValue
  let attempts: Int
  let lastAt: String?
  let nextAttemptAt: String?
  let quarantined: Bool
  let dropped: String?
  let error: String
  /// Also nil from a daemon of an earlier release.
  let sqlState: String?
  let heldPence: Int64?

  /// A schedule that fails has none: it is neither retried nor dropped.
  private var number: String { id == .integer(0) ? "-" : id.shown }

  func text(_ style: Style) -> String { Self.text([self], style) }

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
        let why =
          (failure.dropped.map { "dropped: \($0); " } ?? "")
          + (failure.heldPence.map { "\(Sterling.text($0)) held; " } ?? "")
        return Table.Row(
          [
            failure.number, failure.job, failure.key.shown, String(failure.attempts), Instants.text(failure.lastAt),
            next,
          ], detail: why + failure.error + (failure.sqlState.map { " (\($0))" } ?? ""),
          colour: failure.quarantined ? .red : nil)
      }
    ).text(style)
  }
}

struct FailuresCommand: ControlCommand {
  static let command = CommandDescription.failures

  private static let pageMax: Int64 = 1000

  // It may be more than a page: the pages are requested one by one.
  @Option(help: "Maximum number of failures to list (default: 1000).")
  var limit: Int64?

  @OptionGroup var options: ControlOptions

  // An older daemon has no pages, and returns a thousand.
  var request: ControlRequest { limit.map { page(after: nil, of: $0) } ?? ControlRequest(Self.command) }

  func following(_ pages: [[FailureAnswer]]) -> ControlRequest? {
    let left = (limit ?? Self.pageMax) - Int64(pages.map(\.count).reduce(0, +))
    guard left > 0, let page = pages.last, page.count == Self.pageMax, let last = page.last else { return nil }
    return self.page(after: last, of: left)
  }

  func joined(_ first: [FailureAnswer], _ others: [[FailureAnswer]]) -> [FailureAnswer] {
    first + others.flatMap { $0 }
  }

  private func page(after last: FailureAnswer?, of limit: Int64) -> ControlRequest {
    ControlRequest(
      Self.command,
      [
        "limit": .integer(min(limit, Self.pageMax)), "after": last.flatMap { Int64($0.id.shown) }.map { .integer($0) },
        "quarantined": last.map { .boolean($0.quarantined) },
      ])
  }

  func text(_ answer: [FailureAnswer], _ style: Style) -> String {
    answer.isEmpty ? "no failures" : FailureAnswer.text(answer, style)
  }
}

extension RetryCommand { typealias Answer = FailureAnswer }
extension DropCommand { typealias Answer = FailureAnswer }

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

struct RetryCommand: ControlCommand {
  static let command = CommandDescription.failureRetry

  @Argument(help: .of(command, "id"))
  var id: Int64

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command, ["id": .given(id)]) }
}

struct DropCommand: ControlCommand {
  static let command = CommandDescription.failureDrop

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
