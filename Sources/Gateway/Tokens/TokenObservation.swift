/// The events about issuers that operators want to know of while the gateway runs.
package enum TokenObservation: Hashable, Sendable {
  /// A file of keys changed and was read again.
  case keysRead(issuer: String, count: Int)
  /// A file of keys changed, and one of its keys cannot be used: the others are.
  case keyPassedOver(issuer: String, problem: String)
  /// A file of keys changed and cannot be used: the former keys stay in use. Reported once for each problem.
  case keysUnusable(issuer: String, problem: String)
}
