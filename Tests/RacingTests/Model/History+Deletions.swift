import Postgres
import Testing

@testable import Racing

/// The steps of a history in which the provider has an activity no more, or shows it again.
extension History {
  /// One that has just been verified late may count although no revision says so yet: it stays.
  mutating func delete() async throws {
    let known = model.activities.keys.filter { id in !model.races.values.contains { $0.late.contains(id) } }
    guard let id = known.sorted().randomElement(using: &random), let a = model.activities[id] else { return }
    if a.isDeleted {
      let became = try await session.query(
        "SELECT racing.follow_fetched(x.athlete_id, racing.summary_of(x)) FROM racing.activity AS x WHERE x.id = \(id)"
      ).one(String.self)
      #expect(became == "same", "\(self)")
    } else {
      try await session.execute("UPDATE racing.activity SET is_proved = true WHERE id = \(id)")
      _ = try await session.query(
        "SELECT racing.note_deleted(x.athlete_id, x.strava_id) FROM racing.activity AS x WHERE x.id = \(id)")
    }
    model.activities[id]?.isDeleted = !a.isDeleted
    if a.isDeleted {
      model.activities[id]?.isBackLate = model.isDue
      model.activities[id]?.doubt()
    }
    log.append("\(a.isDeleted ? "shown again" : "deleted") \(id)")
  }
}
