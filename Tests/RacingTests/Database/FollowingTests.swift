import Postgres
import TestSupport
import Testing

@testable import Racing

/// What reads at the provider do to activities that are here. Source: Racing.docc/ProviderChanges.md.
@Suite("What the provider shows again", .timeLimit(.minutes(2))) struct FollowingTests {
  /// An athlete in a race, whose activities the provider has shown.
  private struct World {
    let claims: ClaimDay
    let athlete: Int64
    var session: Connection { claims.session }

    init(_ type: String = "top_speed", proved ids: [Int64] = [1, 2]) async throws {
      claims = try await ClaimDay()
      athlete = try await claims.athlete()
      _ = try await claims.day.course.enter(athlete, try await claims.day.course.race(type: type))
      try await claims.day.pass(to: "2031-06-03T12:00:00Z")
      try await claims.list(athlete, ids.map { ClaimDay.outing($0) })
      for id in ids where type.hasPrefix("fastest") {
        _ = try await session.query("SELECT racing.take_streams(\(athlete), \(ClaimDay.outing(id)))")
      }
      try await claims.day.validate()
      try await claims.dropReads()
      try await claims.day.pass(to: "2031-06-04T00:00:00Z")
      try await claims.dropReads()
    }

    /// The page that is listed before the results.
    func list(_ activities: [JSON], isLast: Bool = true, followsSwitch: Bool = false) async throws {
      try await claims.list(athlete, activities, isLast: isLast, class: 0, followsSwitch: followsSwitch)
    }

    /// Of each activity: its id, status, distance, visibility, and whether it was deleted.
    func activities() async throws -> [String] {
      try await session.query(
        """
        SELECT concat_ws(' ', strava_id, status, distance, visibility, CASE WHEN deleted_at IS NOT NULL THEN 'deleted' END)
        FROM racing.activity ORDER BY id
        """
      ).decode(String.self)
    }
  }

  private static let everyone = #", "visibility": "everyone""#

  @Test func `an activity that the listing before the results misses is asked for, and goes where it is missing`()
    async throws
  {
    let world = try await World(proved: [1, 2, 3])
    let vouched = try await world.claims.day.course.outing(world.athlete, stravaId: 4)
    try await world.list([ClaimDay.outing(1)], isLast: false)
    #expect(try await world.claims.reads(world.athlete) == [], "another page follows")
    try await world.list([ClaimDay.outing(2)])
    #expect(try await world.claims.reads(world.athlete) == ["activity 3 0"])
    try await world.claims.answer(world.athlete, 3, "missing")
    try await world.claims.answer(world.athlete, 4, "missing")
    try await world.claims.answer(world.athlete, 2, "foreign")
    #expect(
      try await world.activities() == [
        "1 verified 6000 only_me", "2 verified 6000 only_me", "3 verified 6000 only_me deleted",
        "4 pending 6000 everyone",
      ])
    #expect(vouched == 4)
    // A deleted one is asked for no more, until the provider shows it.
    try await world.claims.dropReads()
    try await world.claims.day.course.setClock("2031-06-04T00:30:00Z")
    try await world.list([ClaimDay.outing(1, more: Self.everyone), ClaimDay.outing(2), ClaimDay.outing(3)])
    #expect(try await world.claims.reads(world.athlete) == [])
    #expect(
      try await world.activities().prefix(3) == [
        "1 verified 6000 everyone", "2 verified 6000 only_me", "3 verified 6000 only_me",
      ])
  }

  @Test func `a listing for a claim asks for nothing that it misses`() async throws {
    let world = try await World()
    try await world.claims.list(world.athlete, [])
    #expect(try await world.claims.reads(world.athlete) == [])
  }

  @Test func `a listing asks for the five best of each type of race, however many others it misses`() async throws {
    let world = try await World(proved: Array(1...25))
    try await world.session.execute("UPDATE racing.activity SET distance_cm = 900000 WHERE strava_id = 25")
    try await world.list([])
    #expect(
      try await world.claims.reads(world.athlete)
        == ["activity 1 0", "activity 2 0", "activity 25 0", "activity 3 0", "activity 4 0", "activity 5 0"])
  }

  /// A race of this type over the month, which is open.
  private func enterMonth(_ type: String, _ world: World) async throws {
    let race = try await world.claims.day.course.race(
      type: type, duration: "monthly", from: "2031-06-01T00:00:00Z", to: "2031-07-01T00:00:00Z")
    _ = try await world.claims.day.course.enter(world.athlete, race)
  }

  @Test func `streams that come late bring no deleted activity back, and make no private one public`() async throws {
    let world = try await World("fastest_1km", proved: [1, 2])
    let streams = #", "visibility": "everyone", "streams": {"time": [0, 1800], "distance": [0, 6000]}"#
    try await world.claims.answer(world.athlete, 1, "missing")
    for id in [1, 2] as [Int64] {
      _ = try await world.session.query(
        "SELECT racing.take_streams(\(world.athlete), \(ClaimDay.outing(id, more: streams)))")
      _ = try await world.session.query(
        "SELECT racing.end_read(\(world.athlete), 'streams', \(id), \(ClaimDay.outing(id, more: Self.everyone)))")
    }
    #expect(
      try await world.activities().map { $0.replacing("pending", with: "verified") }
        == ["1 verified 6000 only_me deleted", "2 verified 6000 only_me"])
  }

  @Test func `an implausible activity that is hidden at the entry is reviewed when the provider shows it again`()
    async throws
  {
    let world = try await World("fastest_1km", proved: [1])
    try await world.session.execute("UPDATE racing.activity SET top_speed_mm_per_s = 20000")
    try await world.claims.answer(world.athlete, 1, "missing")
    try await enterMonth("top_speed", world)
    #expect(try await world.activities() == ["1 verified 6000 only_me deleted"])
    try await world.list([ClaimDay.outing(1)])
    #expect(try await world.activities() == ["1 under_review 6000 only_me"])
  }

  @Test func `a forgotten activity is read again before the streams that a new entry needs`() async throws {
    let world = try await World(proved: [1])
    try await world.session.execute("UPDATE racing.activity SET forgotten_at = settled.clock(), name = ''")
    try await enterMonth("fastest_1km", world)
    #expect(try await world.claims.reads(world.athlete) == ["activity 1 1"])
  }

  @Test func `a missing activity is private without the scope for private ones, and is not asked for`() async throws {
    let world = try await World()
    try await world.list([ClaimDay.outing(1, more: Self.everyone), ClaimDay.outing(2, more: Self.everyone)])
    try await world.session.execute("UPDATE strava.connection SET missing_scopes = '{activity:read_all}'")
    try await world.claims.day.course.setClock("2031-06-04T00:30:00Z")
    try await world.list([ClaimDay.outing(2, more: Self.everyone)])
    #expect(try await world.claims.reads(world.athlete) == [])
    #expect(try await world.activities() == ["1 verified 6000 only_me", "2 verified 6000 everyone"])
    try await world.claims.answer(world.athlete, 2, "hidden")
    #expect(try await world.activities() == ["1 verified 6000 only_me", "2 verified 6000 only_me"])
  }

  @Test func `new content is taken at once, or with its streams where a race needs them`() async throws {
    let plain = try await World()
    let cropped = ClaimDay.outing(1, distance: "5000", more: Self.everyone)
    try await plain.list([cropped, ClaimDay.outing(2)])
    #expect(try await plain.activities() == ["1 pending 5000 everyone", "2 verified 6000 only_me"])

    let fast = try await World("fastest_1km", proved: [1])
    try await fast.list([cropped])
    #expect(try await fast.claims.reads(fast.athlete) == ["streams 1 0"])
    #expect(try await fast.activities() == ["1 verified 6000 everyone"])
    let streams = #", "visibility": "everyone", "streams": {"time": [0, 1800], "distance": [0, 5000]}"#
    _ = try await fast.session.query(
      "SELECT racing.take_streams(\(fast.athlete), \(ClaimDay.outing(1, distance: "5000", more: streams)))")
    #expect(try await fast.activities() == ["1 pending 5000 everyone"])
    // Those of the next content cannot be read in time.
    let shorter = ClaimDay.outing(1, distance: "4000", more: Self.everyone)
    _ = try await fast.session.query("SELECT racing.end_read(\(fast.athlete), 'streams', 1, \(shorter))")
    #expect(try await fast.activities() == ["1 pending 4000 everyone"])
    let count = try await fast.session.query("SELECT count(*) FROM racing.activity_stream").one(Int64.self)
    #expect(count == 0)
  }

  @Test func `a single activity is followed, and one that nobody keeps is left alone`() async throws {
    let world = try await World(proved: [1])
    try await world.claims.answer(world.athlete, 1, "found", ClaimDay.outing(1, distance: "5000"))
    try await world.claims.answer(world.athlete, 9, "found", ClaimDay.outing(9))
    #expect(try await world.activities() == ["1 pending 5000 only_me"])
  }

  @Test func `a listing that follows the switch of imports changes nothing that is here`() async throws {
    let world = try await World(proved: [1])
    try await world.list([ClaimDay.outing(1, distance: "5000", more: Self.everyone)], followsSwitch: true)
    try await world.claims.day.course.setClock("2031-06-04T00:30:00Z")
    try await world.list([], followsSwitch: true)
    #expect(try await world.activities() == ["1 verified 6000 only_me"])
    #expect(try await world.claims.reads(world.athlete) == [])
  }

  @Test func `a revoked athlete's claims go with their content`() async throws {
    let world = try await World(proved: [1])
    try await world.claims.post(world.athlete, ClaimDay.outing(7))
    _ = try await world.session.query("SELECT racing.disconnect_strava(\(world.athlete))")
    #expect(try await world.claims.claims() == ["7 of \(world.athlete) rejected provider"])
    let own = try await BuiltInSchedules(world.claims.day.course.database, modules: [RacingModule()])
    for (instant, left) in [("2031-06-04T23:59:59Z", 1), ("2031-06-05T00:00:00Z", 0)] {
      try await world.claims.day.course.setClock(instant)
      #expect(try await own.run("activity-forgetting") == "ran")
      #expect(try await world.claims.claims().count == left)
      #expect(try await own.count("SELECT count(*) FROM racing.revocation") == Int64(left))
    }
    #expect(try await own.count("SELECT count(*) FROM racing.activity WHERE name = ''") == 1)
  }

  @Test func `a page of changed activities locks their races in the order of the races' ids`() async throws {
    let claims = try await ClaimDay()
    let (course, athlete) = (claims.day.course, try await claims.athlete())
    _ = try await claims.session.query("SELECT settled.set('racing.results_grace', '1 day')")
    let late = try await course.race(from: "2031-06-03T10:00:00Z", to: "2031-06-03T20:00:00Z")
    let early = try await course.race(to: "2031-06-03T10:00:00Z")
    for race in [late, early] { _ = try await course.enter(athlete, race) }
    try await claims.day.pass(to: "2031-06-03T12:00:00Z")
    func page(_ distance: String) -> [JSON] {
      [(1, "08"), (2, "11")].map {
        ClaimDay.outing($0.0, at: "2031-06-03T\($0.1):00:00Z", distance: distance)
      }
    }
    try await claims.list(athlete, page("6000"))
    try await claims.day.validate()
    let (holder, watcher) = (try await course.database.connect(), try await course.database.connect())
    try await holder.script("BEGIN; SELECT FROM racing.race WHERE id = \(late) FOR NO KEY UPDATE")
    async let listed: Void = claims.list(athlete, page("5000"))
    try await untilTrue("the listing waits") {
      try await watcher.query(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%take_listing%'"
      ).one(Int64.self) == 1
    }
    // A listing that held the other race could deadlock with whoever locks both in their order.
    try await holder.script("SELECT FROM racing.race WHERE id = \(early) FOR NO KEY UPDATE NOWAIT; COMMIT")
    try await listed
    let distances = try await claims.session.query("SELECT distance::bigint FROM racing.activity ORDER BY id")
    #expect(try distances.decode(Int64.self) == [5000, 5000] as [Int64])
  }
}
