import Postgres
import TestSupport
import Testing

/// Replies that are written in another order than they came.
@Suite("A late reply") struct LateReplyTests {
  @Test("for an older code takes nothing from the newer one whose call is under way")
  func olderCode() async throws {
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
}
