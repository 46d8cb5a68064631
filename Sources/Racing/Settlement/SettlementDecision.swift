package import Postgres

/// What becomes of a race that has ended.
package enum SettlementDecision: Hashable, Sendable {
  /// Look again at `until`, or when an input changes; `activities` are the held ones that may change a payout, by id
  /// (none while the grace runs).
  case wait(until: Timestamp, activities: [Int64])
  case settle(SettlementResult)
}
