import Operations

/// The problems that Strava's work keeps in the database, with their remedies.
enum StravaProblems {
  static let callsShort = ProblemKind(
    "calls-short", remedy: "settlectl strava status; ask the provider for a higher limit")
  static let callsStopped = ProblemKind(
    "calls-stopped", remedy: "settlectl strava status shows the error class that opened the breaker")

  /// By the names under which they are kept.
  static let kinds = [
    TokenDemand.problem: callsShort, ReadDemand.problem: callsShort, Breaker.problem: callsStopped,
  ]
}
