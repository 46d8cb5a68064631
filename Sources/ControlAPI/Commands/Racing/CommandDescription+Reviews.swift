extension CommandDescription {
  static let reviewSystem = [
    reviewList, reviewShow, reviewApprove, reviewDisqualify, reviewRequestInfo, reviewOverrule,
  ]

  private static let activity = CommandParameter.required("id", .integer, "The activity's id.")
  private static let why = CommandParameter.required(
    "reason", .text, "The reason, recorded with the decision and in the audit log.")
  private static let expectHash = CommandParameter.optional(
    "expectHash", .text,
    "Apply the decision only if the hash of its effects still matches this one, as printed by review show.",
    value: "hash")
  private static let decision: [CommandParameter] = [
    activity, why, expectHash,
  ]

  package static let reviewList = CommandDescription(
    "review.list", .get, "/v1/reviews", level: .read, weight: .heavy,
    summary: "List activities with an open flag or review.",
    parameters: [
      .optional("limit", .integer, "Maximum number of rows, 1 to 100 (default: 100)."),
      .optional("after", .integer, "Only activities after this id: pass the last id on the previous page."),
    ], answer: .array(AnswerSchema.review.with("stakePence", .integer)))

  package static let reviewShow = CommandDescription(
    "review.show", .get, "/v1/reviews/{id}", level: .read, weight: .heavy,
    summary: "Show an activity, its flags, the standings in its races, and what each decision would change.",
    parameters: [activity], answer: .reviewInFull)

  package static let reviewApprove = CommandDescription(
    "review.approve", .post, "/v1/reviews/{id}/approve", level: .operate,
    summary: "Approve an activity: the activity counts, and its flags are closed.", parameters: decision,
    answer: .decision)

  package static let reviewDisqualify = CommandDescription(
    "review.disqualify", .post, "/v1/reviews/{id}/disqualify", level: .operate,
    summary: "Disqualify an activity and its athlete's entries. Only review overrule can undo this.",
    parameters: decision, answer: .decision)

  package static let reviewRequestInfo = CommandDescription(
    "review.request-info", .post, "/v1/reviews/{id}/request-info", level: .operate,
    summary: "Ask the athlete for information; the activity stays under review.", parameters: decision,
    answer: .decision)

  package static let reviewOverrule = CommandDescription(
    "review.overrule", .post, "/v1/reviews/{id}/overrule", level: .admin,
    summary: "Overrule the decision on an activity; moderators can then no longer change the decision.",
    parameters: [
      activity, .required("decision", .text, "The decision: approve or disqualify."), why, expectHash,
    ], answer: .decision)
}
