package import Engine
package import Postgres

/// Verifies or rejects imported activities, and scores them. Settled races that held one of them are marked.
package struct ValidationJob: TwoStepJob {
  /// An activity with its verdict's inputs already reduced: streams are large and are not kept for a whole batch.
  package struct Activity: Sendable {
    let id: Int64
    let verdict: Validation
  }

  package let name = "activity-validation"
  package let largestBatch = 64

  package init() {}

  package let source = DueSource(
    "racing.activity", key: "id", [.init(at: "t.imported_at", where: "t.status = 'pending'")])

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Activity] {
    var activities: [Activity] = []
    try await ActivityContent.forEach(keys, in: transaction) { id, input in
      activities.append(Activity(id: id, verdict: Validation(input)))
    }
    return activities
  }

  package func key(of activity: Activity) -> Int64 { activity.id }

  package func lockedByOthers(
    _ activities: [Activity], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Int64> {
    try await AffectedRaces.lockFree(activities: activities.map(\.id), in: transaction)
  }

  package func apply(_ activities: [Activity], at now: Timestamp, in transaction: Transaction) async throws {
    let ids = activities.map(\.id)
    _ = try await transaction.pipeline([
      AffectedRaces.lock(activities: ids),
      ValidationRows.write(activities),
      AffectedRaces.checkAgain(activities: ids),
      "SELECT racing.verified_late(\(ids), \(now))",
    ])
  }
}
