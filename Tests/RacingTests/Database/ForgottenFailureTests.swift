import Postgres
import Racing
import DaemonSupport
import TestSupport
import Testing

@Suite("A recorded failure")
struct ForgottenFailureTests {
  @Test func `a recorded failure is deleted when its race needs no settlement, and kept otherwise`() async throws {
    let course = try await Course()
    let (open, gone) = (try await course.race(), try await course.race(type: "fastest_1km"))
    try await course.session.execute("UPDATE racing.race SET status = 'cancelled' WHERE id = \(gone)")
    for race in [open, gone] {
      try await course.session.execute(
        """
        INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
        SELECT 'race-settlement', \(race)::text, 5, now, now, now, true, 'planted' FROM clock_timestamp() AS now
        """)
    }
    let node = TestNode(course.database)
    try await node.untilAsleep()
    try await node.stop()
    let left = try await course.session.query("SELECT key FROM settled.failure").decode(String.self)
    #expect(left == ["\(open)"])
  }
}
