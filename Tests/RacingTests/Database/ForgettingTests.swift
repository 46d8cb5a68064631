import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/ProviderChanges.md, "What is forgotten".
@Suite("The forgetting of activities", .timeLimit(.minutes(2))) struct ForgettingTests {
  /// A field of two whose results are due, with streams, and the schedule.
  private struct World {
    let day: RaceDay
    let own: BuiltInSchedules
    let field: RaceDay.Field
    var course: Course { day.course }

    init(_ scores: [Int64?] = [5000, 4000]) async throws {
      day = try await RaceDay()
      own = try await BuiltInSchedules(day.course.database, modules: [RacingModule()])
      _ = try await own.owner.query("SELECT settled.set('racing.calendar', 'off')")
      field = try await day.field(scores)
      try await own.owner.execute("INSERT INTO racing.activity_stream SELECT id, '{0}', '{0}' FROM racing.activity")
    }

    func run(at instant: String) async throws {
      try await day.course.setClock(instant)
      #expect(try await own.run("activity-forgetting") == "ran")
    }

    /// The activities that have a name, a place, a track or streams.
    func known() async throws -> [Int64] {
      try await own.owner.query(
        """
        SELECT a.id FROM racing.activity AS a
        WHERE a.name <> '' OR num_nonnulls(a.polyline, a.start_latitude, a.end_longitude) > 0
          OR EXISTS (SELECT FROM racing.activity_stream AS s WHERE s.activity_id = a.id) ORDER BY 1
        """
      ).decode(Int64.self)
    }

    /// Makes the connection that of an account.
    func connect(_ athlete: Int64, account: Int64) async throws {
      try await own.owner.execute(
        """
        UPDATE strava.connection SET status = 'active', provider_athlete_id = \(account) WHERE athlete_id = \(athlete)
        """)
    }

    func disconnect(_ athlete: Int64) async throws {
      _ = try await own.owner.query("SELECT racing.disconnect_strava(\(athlete))")
    }

    func waiting() async throws -> Int64 {
      try await own.owner.query(
        "SELECT (SELECT count(*) FROM racing.deletion) + (SELECT count(*) FROM racing.revocation)"
      ).one(Int64.self)
    }
  }

  @Test func `a day after its deletion an activity is its scores alone`() async throws {
    let world = try await World()
    try await world.course.delete(world.field.athletes[0], 1)
    try await world.run(at: "2031-06-04T11:59:59Z")
    #expect(try await world.known() == [1, 2])
    try await world.run(at: "2031-06-04T12:00:00Z")
    #expect(try await world.known() == [2])
    #expect(try await world.waiting() == 0)
    let kept = try await world.own.owner.query(
      """
      SELECT concat_ws(' ', strava_id, started_at = '2031-06-03T10:00Z', top_speed_mm_per_s, distance, status)
      FROM racing.activity WHERE id = 1
      """
    ).one(String.self)
    #expect(kept == "1 t 5000 6000 verified")
  }

  @Test func `a revoked connection has all of its athlete forgotten, and every score still counts`() async throws {
    let world = try await World()
    let ann = world.field.athletes[0]
    try await world.connect(ann, account: 7001)
    try await world.disconnect(ann)
    // It comes again, and the same account ends what the first time began.
    try await world.connect(ann, account: 7001)
    #expect(try await world.waiting() == 0)
    try await world.disconnect(ann)
    try await world.connect(ann, account: 7002)
    let later = try await world.course.outing(ann, stravaId: 3, at: "2031-06-03T11:00:00Z")
    try await world.own.owner.execute(
      "UPDATE racing.activity SET imported_at = imported_at + interval '1 s' WHERE id = 3")
    try await world.day.validate()
    try await world.day.pass(to: "2031-06-04T12:00:00Z")
    try await world.run(at: "2031-06-04T12:00:00Z")
    #expect(try await world.known() == [2, later], "that of another account")
    #expect(try await world.waiting() == 0)
    try await world.day.settle()
    #expect(try await world.course.payouts(world.field.race).map(\.1) == world.field.entries)
    // The same content again is the same, and is not shown again by that.
    #expect(try await world.course.outing(ann, stravaId: 1, maxSpeed: "5000e-3") == 1)
    #expect(try await world.known() == [2, later])
    // The provider shows it again.
    #expect(try await world.course.follow(ann, 1, Shown(maxSpeed: "5")) == "same")
    #expect(try await world.known() == [1, 2, later])
    #expect(try await world.day.differences() == [])
  }

  @Test func `an activity that is not validated waits half a day, and one that others hold until the next run`()
    async throws
  {
    let world = try await World()
    let ann = world.field.athletes[0]
    try await world.own.owner.execute(
      "UPDATE racing.activity SET status = 'pending', scored = false, top_speed_mm_per_s = NULL, distance_cm = NULL, fastest_1km_ms = NULL, fastest_5km_ms = NULL WHERE id = 1"
    )
    try await world.disconnect(ann)
    try await world.run(at: "2031-06-04T23:59:59Z")
    #expect(try await world.known() == [1, 2])
    #expect(try await world.waiting() == 1)
    let holder = try await world.course.database.connect()
    try await holder.script("BEGIN; SELECT FROM racing.activity WHERE id = 1 FOR NO KEY UPDATE")
    try await world.run(at: "2031-06-05T00:00:00Z")
    #expect(try await world.known() == [1, 2])
    try await holder.script("COMMIT")
    try await world.run(at: "2031-06-05T01:00:00Z")
    #expect(try await world.known() == [2])
    #expect(try await world.waiting() == 0)
  }

  @Test func `an erased athlete leaves nothing to be forgotten`() async throws {
    let world = try await World([5000])
    let ann = world.field.athletes[0]
    try await world.day.finish()
    try await world.course.delete(ann, 1)
    let balance = try await world.course.balance(ann)
    _ = try await world.own.owner.query("SELECT settled.set('racing.prize_rest', '0s')")
    let withdrawal = try await world.own.owner.query(
      "SELECT (racing.withdraw(\(ann), \(balance), 'w') ->> 'id')::bigint"
    ).one(Int64.self)
    _ = try await world.own.owner.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    _ = try await world.own.owner.query("SELECT racing.erase_athlete(\(ann))")
    #expect(try await world.waiting() == 0)
    try await world.run(at: "2031-06-06T00:00:00Z")
    let name = try await world.own.owner.query("SELECT name FROM racing.activity").one(String.self)
    #expect(name == "erased")
  }

  @Test func `former athletes without anything to forget cost a run next to nothing`() async throws {
    let course = try await Course()
    try await course.session.script(
      """
      SELECT settled.set('racing.calendar', 'off');
      INSERT INTO racing.athlete (display_name, user_type, created_at)
        SELECT 'Former', 'racer', settled.clock() FROM generate_series(1, 20000);
      INSERT INTO racing.revocation (athlete_id, provider_athlete_id, revoked_at, forget_at)
        SELECT id, 0, settled.clock(), settled.clock() + interval '24 hours' FROM racing.athlete;
      INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, content_hash, imported_at, status, scored)
        SELECT max(id), 1, 'Paddle', 'Kayaking', settled.clock(), 60, 60, 100, '', settled.clock(), 'verified', true
        FROM racing.athlete;
      ANALYZE;
      """)
    let instant = "2031-06-03T09:00:00Z"
    try await course.setClock(instant)
    let now = try await course.session.query("SELECT settled.clock()").one(Timestamp.self)
    let page = try await course.session.query(Forgetting.page(after: 10_000, at: now)).one([Int64].self)
    #expect(page.count == Int(Forgetting.pageSize))
    for statement in [
      Forgetting.page(after: 10_000, at: now), Forgetting.forgetDeleted(limit: Forgetting.batch, at: now),
      Forgetting.forgetRevoked(page, limit: Forgetting.batch, at: now),
      Forgetting.forgetClaims(page, limit: Forgetting.batch, at: now),
    ] {
      #expect(try await course.session.pagesTouched(statement) < 300, "\(statement)")
    }
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()])
    #expect(try await own.run("activity-forgetting") == "ran")
    #expect(try await own.count("SELECT count(*) FROM racing.revocation") == 0)
    #expect(try await own.count("SELECT count(*) FROM racing.activity WHERE forgotten_at IS NOT NULL") == 1)
  }

  /// 4,000 activities of a revoked athlete, twenty batches. The clock lets a run begin six at most, and two runs are
  /// due.
  @Test func `a run ends in time, and the next one continues`() async throws {
    let course = try await Course()
    let ann = try await course.athlete()
    try await course.session.script(
      """
      SELECT settled.set('racing.calendar', 'off');
      INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, content_hash, imported_at, status, scored)
        SELECT \(ann), g, 'Paddle', 'Kayaking', settled.clock(), 60, 60, 100, '', settled.clock(), 'verified', true
        FROM generate_series(1, 4000) AS g;
      INSERT INTO racing.activity_stream SELECT id, '{0}', '{0}' FROM racing.activity;
      SELECT racing.disconnect_strava(\(ann));
      """)
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()], time: .striding(.seconds(50)))
    func left() async throws -> Int64 {
      try await own.count("SELECT count(*) FROM racing.activity_stream")
    }
    try await course.setClock("2031-06-03T09:00:00Z")
    try await own.run("activity-forgetting")
    var rest = try await left()
    #expect(rest >= 1600)
    for _ in 0..<40 where rest > 0 {
      try await own.run("activity-forgetting")
      rest = try await left()
    }
    #expect(rest == 0)
    #expect(try await own.count("SELECT count(*) FROM racing.revocation") == 0)
  }
}
