extension CommandDescription {
  static let moneySystem = [
    withdrawalList, withdrawalComplete, withdrawalFail, withdrawalsStop, withdrawalsResume, ledgerVerify, ledgerHead,
    ledgerBalances, ledgerDays, ledgerJournals, ledgerJournal,
  ]

  private static let withdrawal = CommandParameter.required("id", .integer, "The withdrawal's transaction id.")

  package static let withdrawalList = CommandDescription(
    "withdrawal.list", .get, "/v1/withdrawals", level: .read,
    summary: "List pending withdrawals, oldest first, or completed or failed withdrawals, newest first.",
    parameters: [
      .optional("status", .text, "One of pending, completed or failed (default: pending)."),
      .cursor, .optional("limit", .integer, "Maximum number of rows, 1 to 200 (default: 50)."),
    ],
    answer: .page(
      .object([
        "id": .integer, "athleteId": .integer, "displayName": .text, "pence": .integer, "requestedAt": .instant,
        "status": .choice(["pending", "completed", "failed"]), "waitsMs": .integer,
      ])))

  package static let withdrawalComplete = CommandDescription(
    "withdrawal.complete", .post, "/v1/withdrawals/{id}/complete", level: .admin,
    summary: "Record that the withdrawal has been paid out.", parameters: [withdrawal], answer: .transaction)

  package static let withdrawalFail = CommandDescription(
    "withdrawal.fail", .post, "/v1/withdrawals/{id}/fail", level: .admin,
    summary: "Record that the withdrawal was not paid out; the money returns to the wallet.",
    parameters: [withdrawal, .reason], answer: .transaction)

  package static let withdrawalsStop = CommandDescription(
    "withdrawals.stop", .post, "/v1/withdrawals/stop", level: .admin,
    summary: "Reject new withdrawals until withdrawals are resumed. "
      + "Pending withdrawals can still be marked as completed or failed.",
    parameters: [.reason], answer: .withdrawals)

  package static let withdrawalsResume = CommandDescription(
    "withdrawals.resume", .post, "/v1/withdrawals/resume", level: .admin, summary: "Resume withdrawals.",
    parameters: [.anyReason], answer: .withdrawals)
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
}
