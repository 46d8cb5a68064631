import Engine
import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("A running node", .timeLimit(.minutes(1)))
struct NodeTests {
  /// Waits for a notification: the fallback poll comes every five minutes, and a test ends after one.
  @Test func `a running node settles a waiting race as soon as its activity is validated`() async throws {
    let course = try await Course()
    let race = try await course.race()
    var athletes: [Int64] = []
    for _ in 0..<4 {
      athletes.append(try await course.athlete())
      _ = try await course.enter(athletes[athletes.count - 1], race)
    }
    let node = TestNode(course.database)
    await node.until { if case .asleep = $0 { true } else { false } }
    try await course.setClock("2031-06-03T12:00:00Z")
    for (index, athlete) in athletes.enumerated() {
      _ = try await course.outing(athlete, stravaId: Int64(index + 1), maxSpeed: "\(index + 3)")
    }
    try await untilTrue("validation") {
      try await course.session.query("SELECT count(*) FROM racing.activity WHERE status = 'verified'").one(Int64.self)
        == 4
    }
    // This activity cannot be validated for now: the race comes to wait for it.
    try await course.session.execute(
      "ALTER TABLE racing.activity ADD CONSTRAINT stay CHECK (status <> 'verified' OR strava_id <> 51) NOT VALID")
    let pending = try await course.outing(athletes[0], stravaId: 51, at: "2031-06-03T08:00:00Z", maxSpeed: "9.5")
    try await course.setClock("2031-06-04T01:00:00Z")
    try await untilTrue("waiting") {
      try await course.session.query("SELECT waiting_activities FROM racing.race WHERE id = \(race)").one([Int64].self)
        == [pending]
    }
    #expect(try await course.status(race) == "ended")
    try await course.session.execute("ALTER TABLE racing.activity DROP CONSTRAINT stay")
    try await course.session.execute("UPDATE settled.failure SET next_attempt_at = last_at")
    try await untilTrue("settlement") { try await course.status(race) == "settled" }
    let first = "SELECT activity_id FROM racing.entry WHERE rank = 1" as Statement
    #expect(try await course.session.query(first).one(Int64.self) == pending)
    try await untilTrue("the event's number") {
      try await course.session.query(
        "SELECT count(*) FROM settled.event WHERE topic = 'race.settled' AND key = \(race)::bigint::text"
      ).one(Int64.self) == 1
    }
    #expect(try await Books.differences(course.session) == [])
    try await node.stop()
  }
}
