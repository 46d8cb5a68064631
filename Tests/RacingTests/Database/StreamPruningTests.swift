import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Activities.md, "Streams".
@Suite("The pruning of streams") struct StreamPruningTests {
  private static func left(_ owner: Connection) async throws -> [Int64] {
    try await owner.query(
      """
      SELECT a.strava_id FROM racing.activity_stream AS s JOIN racing.activity AS a ON a.id = s.activity_id ORDER BY 1
      """
    ).decode(Int64.self)
  }

  /// An outing on 3 June with streams.
  private static func outing(_ course: Course, _ athlete: Int64, _ id: Int64, type: String = "Kayaking") async throws {
    let activity = try await course.outing(athlete, stravaId: id, type: type)
    try await course.session.execute(
      "INSERT INTO racing.activity_stream VALUES (\(activity), '{0,1000000000}', '{0,3000000000}')")
  }

  @Test func `streams go 30 days after the last race that could count them is settled`() async throws {
    let day = try await RaceDay()
    let own = try await BuiltInSchedules(day.course.database, modules: [RacingModule()])
    _ = try await own.owner.query("SELECT settled.set('racing.calendar', 'off')")
    let race = try await day.course.race()
    // A race of other categories that lasts longer: only whoever enters it is concerned after its end.
    let long = try await day.course.race(
      category: "masters_men", from: "2031-06-01T00:00:00Z", to: "2031-07-01T00:00:00Z")
    let (ann, bob, cid) = (
      try await day.course.athlete("Ann"), try await day.course.athlete("Bob"),
      try await day.course.athlete("Cid", born: "1980-05-05")
    )
    _ = try await day.course.enter(ann, race)
    _ = try await day.course.enter(cid, long)
    try await day.pass(to: "2031-06-03T12:00:00Z")
    for (id, athlete) in [(1, ann), (2, bob), (3, cid)] { try await Self.outing(day.course, athlete, Int64(id)) }
    try await Self.outing(day.course, bob, 4, type: "Rowing")
    try await day.validate()
    // One that nobody has validated keeps its streams.
    try await Self.outing(day.course, bob, 5)
    try await day.pass(to: "2031-06-04T01:00:00Z")
    try await day.settle()
    func expectLeft(_ ids: [Int64], at instant: String) async throws {
      try await day.pass(to: instant)
      try await day.settle()
      #expect(try await own.run("stream-pruning") == "ran")
      #expect(try await Self.left(own.owner) == ids, "\(instant)")
    }
    // The long race may still be entered, by anybody.
    try await expectLeft([1, 2, 3, 4, 5], at: "2031-06-30T23:59:59Z")
    // It has ended, and nobody else can enter it. The import is 30 days old at noon of 3 July.
    try await expectLeft([1, 2, 3, 4, 5], at: "2031-07-03T11:59:59Z")
    try await expectLeft([1, 3, 5], at: "2031-07-03T12:00:00Z")
    // The daily race was settled at 01:00 of 4 June.
    try await expectLeft([1, 3, 5], at: "2031-07-04T00:59:59Z")
    try await expectLeft([3, 5], at: "2031-07-04T01:00:00Z")
    let settledAt = try await own.owner.query(
      "SELECT settled_at FROM racing.settlement WHERE race_id = \(long)"
    ).one(Timestamp.self)
    #expect(settledAt.description == "2031-07-03T11:59:59.000Z")
    try await expectLeft([3, 5], at: "2031-08-02T11:59:58Z")
    try await expectLeft([5], at: "2031-08-02T11:59:59Z")
    // Scores stay, and the same content is still the same.
    let scored = try await own.owner.query("SELECT count(*) FROM racing.activity WHERE distance_cm > 0").one(Int64.self)
    #expect(scored == 4)
    #expect(try await day.differences() == [])
  }

  @Test func `a cancelled race keeps no streams`() async throws {
    let day = try await RaceDay()
    let own = try await BuiltInSchedules(day.course.database, modules: [RacingModule()])
    _ = try await own.owner.query("SELECT settled.set('racing.calendar', 'off')")
    let race = try await day.course.race()
    let ann = try await day.course.athlete("Ann")
    _ = try await day.course.enter(ann, race)
    try await day.pass(to: "2031-06-03T12:00:00Z")
    try await Self.outing(day.course, ann, 1)
    try await day.validate()
    _ = try await day.cancel(race)
    try await day.pass(to: "2031-07-03T12:00:00Z")
    try await own.run("stream-pruning")
    #expect(try await Self.left(own.owner) == [])
  }

  @Test func `a run of the pruning ends in time, and the next one continues where it stopped`() async throws {
    let course = try await Course(at: "2031-09-01T00:00:00Z")
    let ann = try await course.athlete()
    try await course.session.script(
      """
      SELECT settled.set('racing.calendar', 'off');
      INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, content_hash, imported_at, status, scored)
        SELECT \(ann), g, 'Paddle', 'Kayaking', '2031-06-03Z', 60, 60, 100, '',
          CASE WHEN g > 4000 THEN timestamptz '2031-06-03Z' ELSE settled.clock() END, 'verified', true
        FROM generate_series(1, 5000) AS g;
      INSERT INTO racing.activity_stream SELECT id, '{0}', '{0}' FROM racing.activity;
      """)
    // The clock of a run lets it begin six of ten batches, and the first four thousand streams stay.
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()], time: .striding(.seconds(50)))
    try await own.run("stream-pruning")
    #expect(try await own.count("SELECT count(*) FROM racing.activity_stream") == 5000)
    var (position, left): (Int64, Int64) = (try await own.count(StreamPruning.position), 5000)
    for _ in 0..<40 where left > 4000 || position > 0 {
      #expect(try await own.run("stream-pruning") == "ran")
      let next = try await own.count(StreamPruning.position)
      #expect(next == 0 || next >= position)
      (position, left) = (next, try await own.count("SELECT count(*) FROM racing.activity_stream"))
    }
    #expect(left == 4000)
  }

  /// 3,000 streams of 200 athletes among 240 settled races that all of them have entered.
  @Test func `pruning continues from page to page, and finds entries by their key`() async throws {
    let course = try await Course(at: "2031-09-01T00:00:00Z")
    try await course.session.script(
      """
      SELECT settled.set('racing.calendar', 'off');
      INSERT INTO racing.athlete (display_name, user_type, created_at)
        SELECT 'a', 'racer', settled.clock() FROM generate_series(1, 200);
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence,
          platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, next_check_at, created_at)
        SELECT 'top_speed', 'daily', c, d.at, d.at + interval '1 day', d.at + interval '1 day', 100, 1, '{75,20,5}', '3h',
          '3d', 'settled', d.at + interval '1 day', d.at
        FROM generate_series(0, 29) AS g, unnest('{junior_girls,junior_boys,women_u23,men_u23,senior_women,senior_men,masters_women,masters_men}'::text[]) AS c,
          LATERAL (SELECT timestamptz '2031-08-31Z' - g * interval '24 hours') AS d (at);
      INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
          prize_pool_pence, input_hash, counted_activities, held_activities)
        SELECT id, 1, 'void', due_at, 0, 0, 0, '', '{}', '{}' FROM racing.race;
      INSERT INTO racing.entry (race_id, athlete_id, fee_pence, status, is_refunded, entered_at)
        SELECT r.id, a.id, 100, 'refunded', true, r.starts_at FROM racing.race AS r, racing.athlete AS a;
      INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, content_hash, imported_at, status, scored)
        SELECT g % 200 + 1, g, 'Paddle', 'Kayaking', i.at + (g % 3 = 1)::integer * interval '1000 hours', 60, 60, 100, '',
          i.at, 'verified', true
        FROM generate_series(1, 3000) AS g,
          LATERAL (SELECT timestamptz '2031-08-30Z' - (g % 3 > 0)::integer * interval '1000 hours') AS i (at);
      INSERT INTO racing.activity_stream SELECT id, '{0}', '{0}' FROM racing.activity;
      ANALYZE;
      """)
    let now = try await course.session.query("SELECT settled.clock()").one(Timestamp.self)
    let page = StreamPruning.delete(after: 0, limit: StreamPruning.batch, at: now)
    let plan = try await course.session.query("EXPLAIN \(fragment: page)").decode(String.self).joined(separator: "\n")
    #expect(plan.contains("entry_once") && !plan.contains("Seq Scan on entry"), "\(plan)")
    #expect(!plan.contains("Seq Scan on activity "), "\(plan)")
    let own = try await BuiltInSchedules(course.database, modules: [RacingModule()])
    #expect(try await own.run("stream-pruning") == "ran")
    // A third is too young, and another third is of races that were settled lately.
    let left = try await own.owner.query("SELECT count(*) FROM racing.activity_stream").one(Int64.self)
    #expect(left == 2000)
  }
}
