package import Engine
package import Postgres

/// Starts and ends races on time.
package struct LifecycleJob: Job {
  package struct Race: Sendable {
    let id: Int64
    let startsAt: Timestamp
    let endsAt: Timestamp
    let dueAt: Timestamp
  }

  package struct Change: Sendable {
    let race: Race
    let status: Lifecycle.Status
  }

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

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Race] {
    try await transaction.query(LifecycleStatements.races(keys))
      .decode(Int64.self, Timestamp.self, Timestamp.self, Timestamp.self)
      .map { Race(id: $0, startsAt: $1, endsAt: $2, dueAt: $3) }
  }

  package func key(of race: Race) -> Int64 { race.id }

  package func decide(_ race: Race, at now: Timestamp) -> Change {
    Change(race: race, status: Lifecycle.status(startsAt: race.startsAt, endsAt: race.endsAt, now: now))
  }

  package func apply(_ changes: [Change], at now: Timestamp, in transaction: Transaction) async throws {
    let ended = changes.filter { $0.status == .ended }.map(\.race)
    _ = try await transaction.pipeline([
      LifecycleStatements.update(changes),
      EventStatements.emit(
        topic: "race.ended", keys: ended.map { String($0.id) },
        payloads: ended.map { #"{"raceId": \#($0.id), "dueAt": "\#($0.dueAt)"}"# }, at: now),
    ])
  }
}
