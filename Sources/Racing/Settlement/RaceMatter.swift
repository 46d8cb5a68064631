package import Money

/// Everything that is to be done about a claimed race.
package struct RaceMatter: Sendable {
  package enum Question: Sendable {
    /// Only refunds: the race is still open.
    case none
    case settlement(RaceInput)
    case correction(CorrectionCase)
  }

  package let raceId: Int64
  /// Fees of disqualified entries that have not been given back.
  package let refunds: [Refund]
  package let question: Question

  /// All fees that go back when the race is settled with this result.
  func refunded(with result: SettlementResult) throws(MoneyError) -> Pence {
    try Pence.sum((refunds + result.refunds).lazy.map(\.amount))
  }
}

/// A matter and what was decided about it.
package struct RaceRuling: Sendable {
  package enum Answer: Sendable {
    case none
    case settlement(RaceInput, SettlementDecision)
    case correction(CorrectionCase, Revision)
  }

  package let raceId: Int64
  package let refunds: [Refund]
  package let answer: Answer

  /// Decides: pure.
  package init(_ matter: RaceMatter) throws(MoneyError) {
    raceId = matter.raceId
    refunds = matter.refunds
    switch matter.question {
    case .none: answer = .none
    case .settlement(let race): answer = .settlement(race, try Settlement.decide(race.settlement))
    case .correction(let race):
      if let revision = try Correction.revise(race.input) {
        answer = .correction(race, revision)
      } else {
        answer = .none
      }
    }
  }

  package init(raceId: Int64, refunds: [Refund], answer: Answer) {
    self.raceId = raceId
    self.refunds = refunds
    self.answer = answer
  }
}
