/// What a settlement finds broken: the transaction is rolled back and the race recorded as failing.
package struct SettlementError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// What was written is not what was decided.
    case written
    /// Stored data breaks its own rules.
    case corrupt
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
