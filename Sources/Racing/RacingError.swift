/// What racing refuses or finds broken, with the name of the rule.
package struct RacingError: Error, Sendable, CustomStringConvertible {
  package enum Rule: String, Sendable {
    case race
    case status
    /// The inputs moved since the dry run whose hash was expected.
    case hash
    /// The race is not due yet.
    case grace
    /// Held activities can still change a payout.
    case hold
    /// What was written is not what was decided: the transaction is rolled back.
    case written
    /// Stored data breaks its own rules.
    case corrupt
  }

  package let rule: Rule
  package let description: String

  package init(_ rule: Rule, _ description: String) {
    self.rule = rule
    self.description = description
  }
}
