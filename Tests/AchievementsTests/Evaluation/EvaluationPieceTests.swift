import Testing

@testable import Achievements

@Suite("A piece of an evaluation") struct EvaluationPieceTests {
  private func evaluation(left: [Int64] = []) -> Evaluation {
    Evaluation(id: 9, lastValue: 5, lastUser: 100, done: 10, left: left)
  }

  private func candidates(_ users: Int64...) -> [EvaluationPiece.Candidate] {
    users.map { .init(user: $0, value: 6, isUnlocked: $0 % 2 == 0) }
  }

  @Test func `a piece of an evaluation judges its people, skips owners and leaves locked rows for later`() {
    let piece = EvaluationPiece(
      .init(evaluation: evaluation(left: [1]), found: candidates(3, 4, 5, 7), locked: [7, 3], limit: 4))
    #expect(piece.people == [3, 7])
    #expect(piece.left == [1, 5])
    #expect(piece.lastValue == 6 && piece.lastUser == 7)
    #expect(piece.done == 13 && !piece.isFinished)
  }

  @Test func `a piece is the last one when it is not full and nobody was left`() {
    #expect(EvaluationPiece(.init(evaluation: evaluation(), found: [], locked: [], limit: 4)).isFinished)
    #expect(EvaluationPiece(.init(evaluation: evaluation(), found: candidates(3, 4), locked: [3], limit: 4)).isFinished)
    #expect(!EvaluationPiece(.init(evaluation: evaluation(), found: candidates(3, 4), locked: [], limit: 4)).isFinished)
    #expect(!EvaluationPiece(.init(evaluation: evaluation(), found: candidates(2, 4), locked: [], limit: 2)).isFinished)
  }

  @Test func `a piece of the people who were left keeps the position of the walk`() {
    let piece = EvaluationPiece(.init(evaluation: evaluation(left: [1, 2, 3]), found: nil, locked: [2], limit: 4))
    #expect(piece.people == [2] && piece.left == [1, 3] && piece.done == 11)
    #expect(piece.lastValue == 5 && piece.lastUser == 100 && !piece.isFinished)
  }
}
