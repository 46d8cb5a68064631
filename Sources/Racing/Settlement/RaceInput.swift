import Postgres

/// A race as the settlement read it: the decision's input, and what revision 1 keeps for later corrections.
package struct RaceInput: Sendable {
  package var settlement: SettlementInput
  /// Every activity that counted, best or not, by id.
  package var counted: [Int64]
  /// Every activity that was held, whether or not it mattered, by id.
  package var held: [Int64]
}

/// A settled race as its correction read it: the decision's input, and what the new revision keeps.
package struct CorrectionCase: Sendable {
  package var input: CorrectionInput
  /// Every activity that counts now.
  package var counted: [Int64]
  /// Those that revision 1 held and that do not count.
  package var held: [Int64]
}
