import DaemonSupport
import Postgres
import TestSupport
import Testing

/// Replies that are written in another order than they came.
@Suite("A late reply") struct LateReplyTests {
  @Test func `a late reply for an older code takes nothing from a newer one that is being exchanged`() async throws {
    let world = try await World()
    let athlete = try await world.connect()[0]
    try await world.connect(athlete, as: 1000 + athlete)
    func keep(attempt: Int64) async throws -> String {
      try await world.owner.query(
        """
        SELECT outcome FROM strava.keep_tokens(\(athlete), 0, \(attempt), \(1000 + athlete), 'key', '\\x00',
          \("at_\(attempt)"), settled.clock() + interval '6 hours', settled.clock() + interval '5 hours')
        """
      ).one(String.self)
    }
    #expect(try await keep(attempt: 1) == "superseded")
    #expect(try await keep(attempt: 2) == "active")
    #expect(try await world.token(athlete) == "at_2")
    // Each once more, from a file.
    #expect(try await keep(attempt: 1) == "stale")
    #expect(try await keep(attempt: 2) == "stale")
  }

  @Test func `a late reply closes older ones, and keeps those that cost a connection or are current`()
    async throws
  {
    let world = try await World()
    let athlete = try await world.connect()[0]
    try await world.connect(athlete, as: 1000 + athlete)
    try await world.owner.execute(
      """
      INSERT INTO strava.lost_reply (athlete_id, kind, number, cause, lost_at, is_lost)
      SELECT \(athlete), kind, number, 'wire', settled.clock(), is_lost
      FROM (VALUES ('refresh', 7, false), ('refresh', 8, true), ('code', 1, false), ('code', 2, false))
        AS l (kind, number, is_lost)
      """)
    _ = try await world.owner.query(
      """
      SELECT strava.keep_tokens(\(athlete), 0, NULL, NULL, 'key', '\\x00', 'at', settled.clock() + interval '6 hours',
        settled.clock() + interval '5 hours')
      """)
    let left: Statement = """
      SELECT kind || ' ' || number FROM strava.lost_reply WHERE athlete_id = \(athlete) ORDER BY kind, number
      """
    #expect(try await world.owner.query(left).decode(String.self) == ["code 2", "refresh 8"])
  }

  @Test func `a lost late reply after a new connection belongs to the old token only`()
    async throws
  {
    let world = try await World()
    let node = try world.node()
    let athlete = try await world.active(1)[0]
    try await node.stop()
    try await world.connect(athlete, as: 1000 + athlete)
    let failed: Statement = "SELECT strava.note_failure(\(athlete), 1, NULL, 'lost', true, true)"
    _ = try await world.owner.query(failed)
    let listed: Statement = "SELECT kind || ' ' || number FROM strava.lost_reply WHERE athlete_id = \(athlete)"
    #expect(try await world.owner.query(listed).decode(String.self) == ["refresh 1"])
    try await world.owner.execute("UPDATE strava.connection SET refused_attempt = 2")
    let reason = try await world.owner.query("SELECT strava.refuse(\(athlete), 1, 2)").one(String.self)
    #expect(reason == "code")
    #expect(try await world.owner.query(listed).decode(String.self).isEmpty)
  }
}
