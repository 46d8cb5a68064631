package import Money

/// A prize that is paid: never zero pence.
package struct Payout: Hashable, Sendable {
  /// The entry's rank, 1 to 3; tied entries share it.
  package let place: Int
  package let entryId: Int64
  package let athleteId: Int64
  package let amount: Pence
}
