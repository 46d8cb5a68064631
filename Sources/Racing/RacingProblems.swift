import Operations

/// The problems that racing keeps in the database, with their remedies.
enum RacingProblems {
  static let booksDiffer = ProblemKind(
    "books-differ", remedy: "settlectl withdrawals stop --reason ...; then see The books differ in settled(8)")
  static let withdrawalsStopped = ProblemKind(
    "withdrawals-stopped", remedy: "settlectl status shows the reason; settlectl withdrawals resume")

  /// By the names under which they are kept.
  static let kinds = [
    "ledger": booksDiffer, WithdrawalStop.problem: withdrawalsStopped,
    ProblemWatch.Problem.proof.name: ProblemKind(
      "racing-proof", remedy: "settlectl doctor: the racing proof check shows the setting or node at fault"),
    ProblemWatch.Problem.claims.name: ProblemKind(
      "racing-claims", remedy: "settlectl race show ID --explain shows what a race is waiting for; settlectl doctor"),
  ]
}
