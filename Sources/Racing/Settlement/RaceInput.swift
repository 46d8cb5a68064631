/// A race as the settlement read it: the decision's input, and what revision 1 keeps for later corrections.
package struct RaceInput: Sendable {
  package var settlement: SettlementInput
  /// Every activity that counted, best or not, by id.
  package var counted: [Int64]
  /// Every activity that was held, whether or not it mattered, by id.
  package var held: [Int64]
}

/// A race and what was decided about it.
package struct DecidedRace: Sendable {
  package let race: RaceInput
  package let decision: SettlementDecision
}
