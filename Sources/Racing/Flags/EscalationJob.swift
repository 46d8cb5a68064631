package import Engine
package import Postgres

/// Brings activities with enough flags under review, and raises reviews that nobody answers.
///
/// The flag that reaches the threshold wakes it, so that it comes before the next poll. The threshold and the reminders
/// are those of the moment. Races pay the same whether or not it has run (`racing.qualifying_activity`).
package struct EscalationJob: Job {
  package let name = "flag-escalation"
  package let largestBatch = 512

  package init() {}

  package var source: DueSource { EscalationRows.source }

  package func gather(
    _ keys: [Int64], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Escalation.Input] {
    try await transaction.query(EscalationRows.activities(keys)).decodeAll(as: Escalation.Input.init)
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
      // Only races that wait are touched, and they name their activities: flags never starve a settlement.
      AffectedRaces.lock(activities: moved.map(\.activityId), onlyWaiting: true),
      EscalationRows.move(moved.map(\.activityId)),
      EscalationRows.open(opened, at: now),
      EscalationRows.raise(raised),
      AffectedRaces.checkAgain(activities: moved.map(\.activityId)),
      EscalationRows.emit(moved, at: now),
      EscalationRows.emit(raised, at: now),
    ])
  }

  package func warnings(of escalation: Escalation) -> [String] { escalation.warnings }
}
