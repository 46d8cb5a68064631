extension CommandDescription {
  static let reviewSystem = [
    reviewList, reviewShow, reviewApprove, reviewDisqualify, reviewRequestInfo, reviewOverrule,
  ]

  private static let activity = CommandParameter.required("id", .integer, "The activity.")
  private static let why = CommandParameter.required(
    "reason", .text, "Why; it is kept with the decision and in the audit.")
  private static let expectHash = CommandParameter.optional(
    "expectHash", .text, "Refuse unless the decisions have the effects of this hash, as review show has it.",
    value: "hash")
  private static let decision: [CommandParameter] = [
    activity, why, expectHash,
  ]

  package static let reviewList = CommandDescription(
    "review.list", .get, "/v1/reviews", level: .read, weight: .heavy,
    summary: "The activities with an open flag or review.",
    parameters: [
      .optional("limit", .integer, "How many: 1 to 100, by default 100."),
      .optional("after", .integer, "Only those behind this activity, the last of the page before."),
    ], answer: .array(AnswerSchema.review.with("stakePence", .integer)))

  package static let reviewShow = CommandDescription(
    "review.show", .get, "/v1/reviews/{id}", level: .read, weight: .heavy,
    summary: "An activity, its flags, its races' fields, and what each decision would change.", parameters: [activity],
    answer: .reviewInFull)

  package static let reviewApprove = CommandDescription(
    "review.approve", .post, "/v1/reviews/{id}/approve", level: .operate,
    summary: "The activity counts; its flags are closed.", parameters: decision, answer: .decision)

  package static let reviewDisqualify = CommandDescription(
    "review.disqualify", .post, "/v1/reviews/{id}/disqualify", level: .operate,
    summary: "The activity is out, and its athlete's entries with it. Only overrule undoes it.", parameters: decision,
    answer: .decision)

  package static let reviewRequestInfo = CommandDescription(
    "review.request-info", .post, "/v1/reviews/{id}/request-info", level: .operate,
    summary: "Ask the athlete; the activity stays under review.", parameters: decision, answer: .decision)

  package static let reviewOverrule = CommandDescription(
    "review.overrule", .post, "/v1/reviews/{id}/overrule", level: .admin,
    summary: "Overrule the decision on an activity; no moderator decides after it.",
    parameters: [
      activity, .required("decision", .text, "approve or disqualify."), why, expectHash,
    ], answer: .decision)
}
