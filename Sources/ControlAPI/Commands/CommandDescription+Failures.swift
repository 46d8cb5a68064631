extension CommandDescription {
  static let failureSystem = [failures, failureRetry, failureDrop]

  private static let failure = CommandParameter.required(
    "id", .integer, "The failure, as `settlectl failures` numbers it.")

  package static let failures = CommandDescription(
    "failures", .get, "/v1/failures", level: .read,
    summary: "Items that failed and have not succeeded since, quarantined ones first; then schedules that fail.",
    parameters: [
      .optional("limit", .integer, "How many: 1 to 1000, by default 1000."),
      .optional("after", .integer, "Only those behind this failure, the last of the page before."),
      .optional("quarantined", .boolean, "Whether that failure was quarantined."),
    ], answer: .array(.failure))

  package static let failureRetry = CommandDescription(
    "failure.retry", .post, "/v1/failures/{id}/retry", level: .operate, words: ["retry"],
    summary: "Try a failed item again now, its attempts forgotten.", parameters: [failure], answer: .failure)

  package static let failureDrop = CommandDescription(
    "failure.drop", .post, "/v1/failures/{id}/drop", level: .operate, words: ["drop"],
    summary: "Leave a failed item out until its inputs change; refused where it holds money.",
    parameters: [failure, .reason], answer: .failure)
}

extension AnswerSchema {
  fileprivate static let failure = AnswerSchema.object([
    "id": .integer, "job": .text, "key": .text, "attempts": .integer, "firstAt": .instant, "lastAt": .instant,
    "nextAttemptAt": .nullable(.instant), "quarantined": .boolean, "dropped": .nullable(.text), "error": .text,
    "sqlState": .nullable(.text), "heldPence": .nullable(.integer),
  ])
}
