extension CommandDescription {
  static let moneySystem = [
    withdrawalComplete, withdrawalFail, withdrawalsStop, withdrawalsResume, ledgerVerify,
  ]

  private static let withdrawal = CommandParameter.required("id", .integer, "The withdrawal's transaction.")

  package static let withdrawalComplete = CommandDescription(
    "withdrawal.complete", .post, "/v1/withdrawals/{id}/complete", level: .admin,
    summary: "The money has been paid out.", parameters: [withdrawal], answer: .transaction)

  package static let withdrawalFail = CommandDescription(
    "withdrawal.fail", .post, "/v1/withdrawals/{id}/fail", level: .admin,
    summary: "The money was not paid out: it goes back to the wallet.", parameters: [withdrawal, .reason],
    answer: .transaction)

  package static let withdrawalsStop = CommandDescription(
    "withdrawals.stop", .post, "/v1/withdrawals/stop", level: .admin,
    summary: "Let nobody withdraw until it is resumed. Withdrawals that are pending can still be ended.",
    parameters: [.reason], answer: .withdrawals)

  package static let withdrawalsResume = CommandDescription(
    "withdrawals.resume", .post, "/v1/withdrawals/resume", level: .admin, summary: "Let athletes withdraw again.",
    parameters: [.anyReason], answer: .withdrawals)

  package static let ledgerVerify = CommandDescription(
    "ledger.verify", .get, "/v1/ledger/verify", level: .read,
    summary: "Recompute every balance and check the chain over the journals.",
    more: "; exit 1 when something differs",
    parameters: [
      .optional("head", .text, "An older head of the chain that must be in it, as the journal has it: POSITION:HASH.")
    ],
    answer: .object([
      "accounts": .integer, "journals": .integer, "postings": .integer, "differences": .array(.difference),
      "chain": .chainHead, "keptHead": .nullable(.chainHead),
    ]))
}

extension AnswerSchema {
  fileprivate static let transaction = AnswerSchema.object([
    "id": .integer, "kind": .choice(["deposit", "withdrawal", "entry_fee", "prize", "refund", "correction"]),
    "amountPence": .integer, "balancePence": .integer, "status": .choice(["pending", "completed", "failed"]),
    "raceId": .nullable(.integer), "entryId": .nullable(.integer), "description": .text, "createdAt": .instant,
  ])

  fileprivate static let withdrawals = AnswerSchema.object([
    "stopped": .boolean, "problem": .nullable(.text), "since": .nullable(.instant),
  ])

  /// The last three stand where it is one of the chain.
  fileprivate static let difference = AnswerSchema.object(
    ["account": .text, "athleteId": .nullable(.integer), "stored": .integer, "computed": .integer],
    optional: ["finding": .text, "position": .integer, "journalId": .nullable(.integer)])

  fileprivate static let chainHead = AnswerSchema.object(["position": .integer, "hash": .text])
}
