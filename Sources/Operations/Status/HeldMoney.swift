package import Postgres

/// The money that items of a job hold until they are done.
package struct HeldMoney: Sendable {
  package let job: String
  /// Returns rows of a key and a `bigint` of pence; items that hold nothing may be missing.
  package let ofItems: @Sendable ([String]) -> Statement
  /// Returns one `bigint`: the pence of the first thousand due items.
  package let due: Statement

  package init(job: String, ofItems: @escaping @Sendable ([String]) -> Statement, due: Statement) {
    self.job = job
    self.ofItems = ofItems
    self.due = due
  }

  package static let itemsMax: Int64 = 1000

  /// Failed items of a job, at most a thousand.
  static func failed(_ job: String, isQuarantined: Bool) -> Statement {
    """
    SELECT key FROM settled.failure WHERE job = \(job) AND quarantined = \(isQuarantined) AND dropped_at IS NULL
    ORDER BY key LIMIT \(itemsMax)
    """
  }
}

extension [HeldMoney] {
  /// The pence that a problem holds; nil if it concerns no money.
  func pence(_ kind: ProblemKind, target: String?, _ session: some Session) async throws -> Int64? {
    switch kind {
    case .clockHeld, .clockJumped, .restored:
      var sum: Int64 = 0
      for money in self { sum += try await session.query(money.due).one(Int64.self) }
      return isEmpty ? nil : sum
    case .jobPaused, .jobLate, .interrupted:
      guard let money = first(where: { $0.job == target }) else { return nil }
      return try await session.query(money.due).one(Int64.self)
    case .quarantined, .failing:
      guard let money = first(where: { $0.job == target }) else { return nil }
      let keys = try await session.query(HeldMoney.failed(money.job, isQuarantined: kind == .quarantined))
        .decode(String.self)
      return try await session.query(money.ofItems(keys)).decode(String.self, Int64.self).map(\.1).reduce(0, +)
    default: return nil
    }
  }
}
