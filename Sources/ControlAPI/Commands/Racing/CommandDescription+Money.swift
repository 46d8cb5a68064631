extension CommandDescription {
  static let moneySystem = [withdrawalComplete, withdrawalFail, ledgerVerify]

  private static let withdrawal = CommandParameter.required("id", .integer, "The withdrawal's transaction.")

  package static let withdrawalComplete = CommandDescription(
    "withdrawal.complete", .post, "/v1/withdrawals/{id}/complete", level: .admin,
    summary: "The money has been paid out.", parameters: [withdrawal])

  package static let withdrawalFail = CommandDescription(
    "withdrawal.fail", .post, "/v1/withdrawals/{id}/fail", level: .admin,
    summary: "The money was not paid out: it goes back to the wallet.", parameters: [withdrawal, .reason])

  package static let ledgerVerify = CommandDescription(
    "ledger.verify", .get, "/v1/ledger/verify", level: .read,
    summary: "Recompute every balance and check the chain over the journals.",
    parameters: [
      .optional("head", .text, "An older head of the chain that must be in it, as the journal has it: POSITION:HASH.")
    ])
}
