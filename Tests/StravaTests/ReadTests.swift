import DaemonSupport
import Postgres
import TestSupport
import Testing

/// What is read by its id or listed, and who gets it.
@Suite("Reads at the provider", .timeLimit(.minutes(4))) struct ReadTests {
  @Test func `an activity is found, foreign where it is another athlete's, and missing where it is gone`() async throws
  {
    let it = try await ReadWorld(2)
    let (ann, bob) = (it.athletes[0], it.athletes[1])
    let hidden = ImportWorld.summary(2, ["visibility": #""only_me""#])
    try await it.world.provider.plant(1000 + ann, activities: "[\(ImportWorld.summary(1)), \(hidden)]")
    try await it.world.provider.plant(1000 + bob, activities: "[\(ImportWorld.summary(8))]")
    try await it.ask(ann, [1, 2, 8, 9], class: 1)
    let node = try it.world.node()
    try await it.expectReads(4, node)
    let of = "of \(ann)"
    #expect(
      try await it.taken().sorted()
        == ["found 1 \(of)", "found 2 \(of)", "foreign 8 \(of)", "missing 9 \(of)"].sorted())
    let shown = try await it.world.owner.query(
      """
      SELECT content ->> 'name' || ' ' || (content ->> 'distance') || ' ' || (content ->> 'visibility')
      FROM public.taken WHERE activity_id = 2
      """
    ).one(String.self)
    #expect(shown == "Paddle 6000.1 only_me")
    #expect(try await it.waiting() == 0)
    // What its athlete deletes is missing from then on.
    try await it.world.provider.delete(1000 + ann, [1])
    try await it.ask(ann, [1], class: 1)
    try await it.expectReads(5, node)
    #expect(try await it.taken().last == "missing 1 \(of)")
    try await node.stop()
  }

  @Test func `an own activity that cannot be read is no answer, and is tried again`() async throws {
    let it = try await ReadWorld(1)
    try await it.world.provider.plant(
      1000 + it.athletes[0], activities: "[{\"id\": 3, \"start_date\": \"2031-03-05T14:00:00Z\"}]")
    try await it.ask(it.athletes[0], [3], class: 1)
    let node = try it.world.node()
    try await untilTrue("the failure") {
      try await it.world.number("SELECT coalesce(max(failures), 0)::bigint FROM strava.read_request") > 0
    }
    #expect(try await it.taken() == [])
    #expect(try await it.waiting() == 1)
    try await node.stop()
  }

  @Test func `an activity that is not found is hidden while its athlete has not agreed to private ones`()
    async throws
  {
    let it = try await ReadWorld(1)
    let athlete = try await it.world.app.query("SELECT racing.create_athlete('Bea')").one(Int64.self)
    let scope = "read,activity:read"
    let code = try await it.world.provider.authorize(1000 + athlete, scope: scope)
    try await it.world.app.execute("SELECT racing.connect_strava(\(athlete), \(code), \(scope))")
    let node = try it.world.node()
    try await it.world.until(athlete, is: "active")
    try await it.world.provider.plant(
      1000 + athlete,
      activities: "[\(ImportWorld.summary(1)), \(ImportWorld.summary(2, ["private": "true"]))]")
    try await it.ask(athlete, [1, 2, 3], class: 1)
    try await it.expectReads(3, node)
    #expect(
      try await it.taken().sorted()
        == ["found 1 of \(athlete)", "hidden 2 of \(athlete)", "hidden 3 of \(athlete)"])
    try await node.stop()
  }

  @Test func `a listing is made once a minute for an athlete, however often it is asked for`() async throws {
    let it = try await ReadWorld(1)
    let athlete = it.athletes[0]
    try await it.askListing(athlete, 13..<16)
    let node = try it.world.node()
    try await it.expectReads(1, node)
    try await it.askListing(athlete, 13..<16)
    try await it.askListing(athlete, 12..<17, class: 2)
    try await it.expectReads(1, node)
    try await it.world.advance(by: 59)
    try await it.expectReads(1, node)
    try await it.world.advance(by: 1)
    try await it.expectReads(2, node)
    let spans = try await it.world.owner.query(
      """
      SELECT substr(content ->> 'since', 12, 2) || '-' || substr(content ->> 'before', 12, 2) || ' '
        || (content ->> 'class') || ' ' || (content ->> 'isLast')
      FROM public.taken ORDER BY place
      """
    ).decode(String.self)
    #expect(spans == ["13-16 1 true", "12-17 1 true"])
    #expect(try await it.waiting() == 0)
    try await node.stop()
  }

  @Test func `a listing before results does what claims within its span have asked for`() async throws {
    let it = try await ReadWorld(1)
    let athlete = it.athletes[0]
    try await it.askListing(athlete, 13..<16, class: 1)
    try await it.askListing(athlete, 13..<16, class: 0)
    let node = try it.world.node()
    try await it.expectReads(1, node)
    // The second look before the results is left.
    #expect(try await it.waiting() == 1)
    try await it.world.advance(by: 45 * 60)
    try await it.expectReads(2, node)
    #expect(try await it.waiting() == 0)
    try await node.stop()
  }

  @Test func `a read waits for the athlete's next token, and is in line with it`() async throws {
    let it = try await ReadWorld(1)
    let athlete = it.athletes[0]
    try await it.world.provider.forget(1000 + athlete)
    try await it.ask(athlete, [1, 2], class: 1)
    let node = try it.world.node()
    try await untilTrue("the reads wait") {
      try await it.world.number("SELECT count(*) FROM strava.read_request WHERE next_call_at = 'infinity'") == 2
    }
    try await it.world.connect(athlete, as: 1000 + athlete)
    try await untilTrue("both are read") { try await it.waiting() == 0 }
    #expect(try await it.taken().sorted() == ["missing 1 of \(athlete)", "missing 2 of \(athlete)"])
    #expect(try await it.world.number("SELECT count(*) FROM settled.failure") == 0)
    try await node.stop()
  }

  @Test func `a read whose time is over ends once, and nothing is called for it`() async throws {
    let it = try await ReadWorld(1)
    let athlete = it.athletes[0]
    try await it.world.provider.configure(ProviderSettings(away: true))
    try await it.ask(athlete, [1], class: 1)
    try await it.askListing(athlete, 13..<16)
    try await it.world.owner.execute(
      """
      SELECT strava.ask_streams(\(athlete), 7, '{"stravaId": 7}', settled.clock() + interval '1 hour', 1)
      """)
    try await it.world.advance(by: 3600)
    let node = try it.world.node()
    try await untilTrue("all have ended") { try await it.waiting() == 0 }
    let ended = ["end of activity 1 of \(athlete)", "end of listing of \(athlete)", "end of streams 7 of \(athlete)"]
    #expect(try await it.taken().sorted() == ended)
    #expect(try await it.world.provider.reads().isEmpty)
    try await node.stop()
  }

  @Test func `reads of an athlete who disconnects are dropped, and nobody gets them`() async throws {
    let it = try await ReadWorld(2)
    let (ann, bob) = (it.athletes[0], it.athletes[1])
    for athlete in it.athletes { try await it.ask(athlete, [1, 2], class: 1) }
    try await it.world.owner.execute("SELECT strava.drop_reads(\(bob), 2)")
    _ = try await it.world.app.query("SELECT racing.disconnect_strava(\(ann))")
    try await it.ask(ann, [3], class: 1)
    #expect(try await it.waiting() == 1)
    let node = try it.world.node()
    try await it.expectReads(1, node)
    #expect(try await it.taken() == ["missing 1 of \(bob)"])
    try await node.stop()
  }

  @Test func `requests of a former release are moved, and its functions change nothing`() async throws {
    let it = try await ReadWorld(1)
    let athlete = it.athletes[0]
    try await it.world.set("strava.import", "on")
    try await it.world.owner.script(
      """
      INSERT INTO strava.import_request (athlete_id, since, before, until_at, next_call_at)
        VALUES (\(athlete), settled.clock() - interval '1 hour', settled.clock(), settled.clock() + interval '10 minutes',
          settled.clock());
      INSERT INTO strava.found_activity (athlete_id, activity_id, summary, found_at, until_at)
        VALUES (\(athlete), 7, '{"stravaId": 7}', settled.clock(), settled.clock() + interval '10 minutes');
      SELECT strava.move_requests()
      """)
    let daemon = try await it.world.database.connect(.daemon)
    for call in [
      "note_listing(1, '[]', false)", "keep_found(\(athlete), 7, NULL)", "end_found(\(athlete), 7)", "imports()",
    ] {
      _ = try await daemon.query("SELECT strava.\(raw: call)")
    }
    #expect(try await it.waiting() == 2)
    let left = try await it.world.number(
      "SELECT (SELECT count(*) FROM strava.import_request) + (SELECT count(*) FROM strava.found_activity)")
    #expect(left == 0)
    let node = try it.world.node()
    try await it.expectReads(2, node)
    #expect(try await it.taken().sorted() == ["listing of \(athlete)", "streams 7 of \(athlete)"])
    try await node.stop()
  }

  @Test func `a race's end asks for listings while another transaction holds an entrant's connection`() async throws {
    let it = try await ReadWorld(2)
    let (held, free) = (it.athletes[0], it.athletes[1])
    let holder = try await it.world.database.connect()
    try await holder.script("BEGIN; SELECT FROM strava.connection WHERE athlete_id = \(held) FOR NO KEY UPDATE")
    try await it.world.owner.script(
      """
      SET lock_timeout = '10s';
      SELECT strava.ask_listings('{\(held), \(free)}', array_fill(settled.clock() - interval '1 hour', '{2}'),
        array_fill(settled.clock(), '{2}'), array_fill(settled.clock() + interval '10 minutes', '{2}'))
      """)
    #expect(try await it.waiting() == 2)
    try await holder.execute("ROLLBACK")
    let node = try it.world.node()
    try await it.expectReads(2, node)
    try await node.stop()
  }
}
