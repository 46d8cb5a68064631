package import Engine
package import Postgres

/// Brings activities with enough flags under review, and raises reviews that nobody answers.
///
/// Rung by the flag that reaches the threshold, so that it comes before any sweep. The threshold and the reminders are
/// those of the moment. Races pay the same whether or not it has run (`racing.qualifying_activity`).
package struct EscalationJob: Job {
  package let name = "flag-escalation"
  package let largestBatch = 512

  package init() {}

  package var source: DueSource { EscalationStatements.source }

  package func gather(
    _ keys: [Int64], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Escalation.Input] {
    try Self.inputs(try await transaction.query(EscalationStatements.activities(keys)))
  }

  /// Never inlined: within the asynchronous function it ends Swift 6.3.1's optimiser with signal 11.
  @inline(never)
  private static func inputs(_ rows: Rows) throws(PostgresError) -> [Escalation.Input] {
    try rows.decode(
      Int64.self, Int64.self, Int64.self, Bool.self, Int64.self, Int64?.self, Int64?.self, Timestamp?.self,
      [Timestamp].self
    ).map { id, athlete, flags, isFree, threshold, review, level, openedAt, reminders in
      var open: Escalation.Input.Review?
      if let review, let level, let openedAt {
        open = .init(id: review, level: Int(level), openedAt: openedAt, reminders: reminders)
      }
      return Escalation.Input(
        activityId: id, athleteId: athlete, flagCount: Int(flags), isFree: isFree, threshold: Int(threshold),
        review: open)
    }
  }

  package func key(of activity: Escalation.Input) -> Int64 { activity.activityId }

  package func decide(_ activity: Escalation.Input, at now: Timestamp) -> Escalation {
    Escalation(activity, at: now)
  }

  package func lockedByOthers(
    _ escalations: [Escalation], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Int64> {
    let moved = escalations.filter(\.moves).map(\.activity.activityId)
    return try await AffectedRaces.lockFree(activities: moved, onlyWaiting: true, in: transaction)
  }

  package func apply(_ escalations: [Escalation], at now: Timestamp, in transaction: Transaction) async throws {
    let moved = escalations.filter(\.moves).map(\.activity)
    let opened = escalations.filter(\.opens).map(\.activity.activityId)
    let raised = escalations.filter { !$0.levels.isEmpty }
    _ = try await transaction.pipeline([
      // Races that wait now name what they wait for: only these are touched, so that flags never starve a settlement.
      AffectedRaces.lock(activities: moved.map(\.activityId), onlyWaiting: true),
      EscalationStatements.move(moved.map(\.activityId)),
      EscalationStatements.open(opened, at: now),
      EscalationStatements.raise(raised),
      AffectedRaces.lookAgain(activities: moved.map(\.activityId)),
      EscalationStatements.tell(moved, at: now),
      EscalationStatements.tell(raised, at: now),
    ])
  }

  package func warnings(of escalation: Escalation) -> [String] { escalation.warnings }
}
