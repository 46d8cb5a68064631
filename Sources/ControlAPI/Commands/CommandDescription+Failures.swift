extension CommandDescription {
  static let failureSystem = [failures, failureRetry, failureDrop]

  private static let failure = CommandParameter.required(
    "id", .integer, "The failure's id from `settlectl failures`.")

  package static let failures = CommandDescription(
    "failures", .get, "/v1/failures", level: .read,
    summary: """
      List items that have failed and have not succeeded since, quarantined items first, followed by failing schedules.
      """,
    parameters: [
      .optional("limit", .integer, "Maximum number of failures, 1 to 1000 (default: 1000)."),
      .optional("after", .integer, "Only failures after this id: pass the last id on the previous page."),
      .optional("quarantined", .boolean, "Whether the failure with the `after` id was quarantined."),
    ], answer: .array(.failure))

  package static let failureRetry = CommandDescription(
    "failure.retry", .post, "/v1/failures/{id}/retry", level: .operate, words: ["retry"],
    summary: "Retry a failed item now, and reset its attempt count.", parameters: [failure], answer: .failure)

  package static let failureDrop = CommandDescription(
    "failure.drop", .post, "/v1/failures/{id}/drop", level: .operate, words: ["drop"],
    summary: "Skip a failed item until its inputs change; refused if the item holds money.",
    parameters: [failure, .reason], answer: .failure)
}

extension AnswerSchema {
  fileprivate static let failure = AnswerSchema.object([
    "id": .integer, "job": .text, "key": .text, "attempts": .integer, "firstAt": .instant, "lastAt": .instant,
    "nextAttemptAt": .nullable(.instant), "quarantined": .boolean, "dropped": .nullable(.text), "error": .text,
    "sqlState": .nullable(.text), "heldPence": .nullable(.integer),
  ])
}
