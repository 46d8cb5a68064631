package import Engine
package import Postgres

/// Judges people by an achievement that was added, or that asks less than it did:
/// those whose counters are there already.
///
/// An item is a walk along the index of the counters with the value that is asked; each transaction judges a piece of
/// it, and notes how far it got. It is background work, so that live checks go first. Nobody notices whether it has
/// come to them: readers judge by the new definition themselves.
package struct EvaluationJob: Job {
  package let name = "achievement-evaluation"
  package let largestBatch = 1
  package let isBackground = true
  package let progress: String? = """
    SELECT coalesce(sum(least(done, total)), 0)::bigint, coalesce(sum(total), 0)::bigint FROM achievements.evaluation
    """
  package let source = DueSource(
    "achievements.evaluation", key: "id", [.init(at: "t.created_at", where: "true")])

  /// The people of one transaction.
  private let limit: Int
  /// When so many were left, they come before the rest.
  private let leftMax = 1000

  package init() {
    self.init(limit: 50)
  }

  init(limit: Int) {
    self.limit = limit
  }

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws
    -> [EvaluationPiece.Input]
  {
    let replies = try await transaction.pipeline([EvaluationRows.count(keys), EvaluationRows.evaluations(keys)])
    var inputs: [EvaluationPiece.Input] = []
    for evaluation in try replies[1].decodeAll(as: Evaluation.init) {
      inputs.append(try await input(evaluation, in: transaction))
    }
    return inputs
  }

  private func input(_ evaluation: Evaluation, in transaction: Transaction) async throws -> EvaluationPiece.Input {
    if evaluation.left.count < leftMax {
      let found = try EvaluationRows.candidates(
        await transaction.query(EvaluationRows.next(of: evaluation, limit: limit)))
      if !found.isEmpty || evaluation.left.isEmpty {
        let locked = try await lock(found.filter { !$0.isUnlocked }.map(\.user), in: transaction)
        return EvaluationPiece.Input(evaluation: evaluation, found: found, locked: locked, limit: limit)
      }
    }
    var locked = try await lock(Array(evaluation.left.prefix(limit)), in: transaction)
    if locked.isEmpty {
      locked = try await lock(Array(evaluation.left.prefix(1)), waits: true, in: transaction)
    }
    return EvaluationPiece.Input(evaluation: evaluation, found: nil, locked: locked, limit: limit)
  }

  private func lock(_ people: [Int64], waits: Bool = false, in transaction: Transaction) async throws -> Set<Int64> {
    guard !people.isEmpty else { return [] }
    return Set(try await transaction.query(EvaluationRows.lock(people, waits: waits)).decode(Int64.self))
  }

  package func key(of input: EvaluationPiece.Input) -> Int64 { input.evaluation.id }

  package func decide(_ input: EvaluationPiece.Input, at now: Timestamp) -> EvaluationPiece { EvaluationPiece(input) }

  package func apply(_ pieces: [EvaluationPiece], at now: Timestamp, in transaction: Transaction) async throws {
    let people = Set(pieces.flatMap(\.people)).sorted()
    let replies = try await transaction.pipeline(
      [AchievementRows.settle(people)]
        + pieces.map { $0.isFinished ? EvaluationRows.finish($0) : EvaluationRows.keep($0) }
        + [EvaluationRows.forgetReplaced, AchievementRows.addTotals])
    try AchievementRows.check(replies[0], settled: people.count)
    let written = replies[1...pieces.count].reduce(0) { $0 + $1.affected }
    guard written == pieces.count else {
      throw AchievementsError(.written, "\(written) evaluations were written, but \(pieces.count) were expected")
    }
  }
}
