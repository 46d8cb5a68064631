package import Engine
package import Postgres

/// Starts and ends races on time.
package struct LifecycleJob: Job {
  package let name = "race-lifecycle"
  package let largestBatch = 512

  package init() {}

  package let source = DueSource(
    "racing.race", key: "id", order: "least(t.ends_at, CASE WHEN t.status = 'upcoming' THEN t.starts_at END)",
    [
      .init(at: "t.starts_at", where: "t.status = 'upcoming'"),
      .init(at: "t.ends_at", where: "t.status = 'upcoming'", claimed: false),
      .init(at: "t.ends_at", where: "t.status = 'active'"),
    ])

  package func gather(
    _ keys: [Int64], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Lifecycle.Input] {
    try await transaction.query(LifecycleRows.races(keys)).decodeAll(as: Lifecycle.Input.init)
  }

  package func key(of race: Lifecycle.Input) -> Int64 { race.raceId }

  package func decide(_ race: Lifecycle.Input, at now: Timestamp) -> Lifecycle { Lifecycle(race, at: now) }

  package func apply(_ races: [Lifecycle], at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await transaction.pipeline(
      [LifecycleRows.update(races), LifecycleRows.emit(races, at: now)] + LifecycleRows.requestImports(races))
  }

  package func rehearse(at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await gather([], at: now, in: transaction)
    try await apply([], at: now, in: transaction)
  }
}
