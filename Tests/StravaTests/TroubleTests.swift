import DaemonSupport
import Engine
import Postgres
import TestSupport
import Testing

/// Faults around a call: at the provider, in the database, on the disk.
@Suite("A connection in trouble", .timeLimit(.minutes(3))) struct TroubleTests {
  @Test func `a refused write of a reply is retried after pauses, without a busy loop`() async throws {
    let world = try await World()
    try await world.owner.script(
      """
      CREATE OR REPLACE FUNCTION strava.refuse(athlete_id bigint, generation bigint, attempt bigint) RETURNS text
      LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
      """)
    let node = try world.node()
    let athlete = try await world.app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    try await world.app.execute("SELECT racing.connect_strava(\(athlete), 'ac_wrong', 'read')")
    try await untilTrue("a second attempt") {
      try await world.number("SELECT coalesce(max(attempts), 0)::bigint FROM settled.failure") == 2
    }
    var looks = 0
    for await seen in node.all {
      if case .polled = seen { looks += 1 }
      if case .itemFailed(_, _, let attempts, _, _) = seen, attempts == 2 { break }
    }
    #expect(looks < 60, "\(looks) looks for two attempts")
    try await node.stop()
  }

  @Test func `a connection is made and refreshed while a wrong clock stops other work`() async throws {
    let world = try await World()
    let node = try world.node()
    try await world.owner.execute(
      """
      INSERT INTO settled.clock_hold (node, since, difference_milliseconds)
      VALUES ('elsewhere', clock_timestamp(), 3600000)
      """)
    let athlete = try await world.connect()[0]
    try await world.until(athlete, is: "active")
    try await world.setClock(World.start + 6 * World.hour - 600)
    try await untilTrue("the next token") { try await world.generation(athlete) == 2 }
    #expect(try await node.ask("status").contains("nothing is being settled"))
    try await node.stop()
  }
}
