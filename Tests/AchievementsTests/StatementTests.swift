import Engine
import Postgres
import TestSupport
import Testing

@testable import Achievements

@Suite("Every statement of achievements") struct StatementTests {
  private static let evaluation = Evaluation(id: 1, lastValue: 5, lastUser: 0, done: 0, left: [3])

  private static let piece = EvaluationPiece(
    .init(evaluation: evaluation, found: [.init(user: 2, value: 7, isUnlocked: false)], locked: [2], limit: 10))

  private static let statements: [Statement] = [
    Statement(raw: AchievementCheckJob().source.nextDue(job: "achievement-check")),
    Statement(raw: AchievementCheckJob().source.schedule),
    AchievementCheckJob().lock(LockRequest(limit: 1, except: [1])),
    EvaluationJob().lock(LockRequest(limit: 1, except: [1])),
    Statement(raw: EvaluationJob().progress ?? ""),
    AchievementRows.settle([1]), AchievementRows.addTotals,
    EvaluationRows.count([1]), EvaluationRows.evaluations([1]), EvaluationRows.next(of: evaluation, limit: 10),
    EvaluationRows.lock([1], waits: true), EvaluationRows.lock([1], waits: false),
    EvaluationRows.keep(piece), EvaluationRows.finish(piece), EvaluationRows.forgetReplaced,
  ]

  @Test func `every statement of achievements fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements) == [])
  }

  @Test func `each statement of achievements returns the columns that its decoder reads`() async throws {
    let decoded = [
      DecodedStatement(EvaluationRows.evaluations([1])) { _ = try $0.decodeAll(as: Evaluation.init) },
      DecodedStatement(EvaluationRows.next(of: Self.evaluation, limit: 10)) { _ = try EvaluationRows.candidates($0) },
    ]
    #expect(try await SettledDatabase.decodingErrors(decoded) == [])
  }
}
