package import Money

/// A fee that goes back in full because the race is void: never zero pence.
package struct Refund: Hashable, Sendable {
  package let entryId: Int64
  package let athleteId: Int64
  package let amount: Pence
}
