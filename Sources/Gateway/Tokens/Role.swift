/// A right that a token may give beyond those that its person has anyhow.
///
/// Source: Gateway.docc/Callers.md. A coach is not a role of a token: `seasons.user` has the coaches.
package enum Role: String, Sendable, CaseIterable, Comparable {
  case moderator
  /// Books deposits for any athlete: a payment provider's back end.
  case payments

  package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}
