import Postgres
import TestSupport
import Testing

@Suite("A page of racing.flagged") struct FlaggedPageTests {
  /// Activities of one athlete, half of them under review; each with up to two flags that count, or one that does not.
  private static func world(_ count: Int) async throws -> Course {
    let course = try await Course()
    let athlete = try await course.athlete()
    try await course.session.script(
      """
      INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
        distance, content_hash, imported_at, status, scored, flag_count, uncounted_flags, flagged_at)
      SELECT \(athlete), g, 'Paddle', 'Kayaking', settled.clock(), 60, 60, 100, '', settled.clock(),
        CASE WHEN g % 2 = 0 THEN 'under_review' ELSE 'verified' END, true, g % 3, (g % 3 = 0)::integer, settled.clock()
      FROM generate_series(1, \(count)) AS g;
      INSERT INTO racing.review (activity_id, opened_at)
      SELECT id, settled.clock() - id * interval '1 second' FROM racing.activity WHERE status = 'under_review';
      ANALYZE racing.activity, racing.review;
      """)
    return course
  }

  private static func ids(_ course: Course, _ arguments: String) async throws -> [Int64] {
    try await course.session.value(
      """
      SELECT coalesce(array_agg((f -> 'activity' ->> 'id')::bigint ORDER BY n), '{}')
      FROM jsonb_array_elements(racing.flagged(\(arguments))) WITH ORDINALITY AS l (f, n)
      """, as: [Int64].self)
  }

  /// The whole order, as it is said: reviews by their age, then flagged ones by their number of flags.
  private static func all(_ course: Course) async throws -> [Int64] {
    try await course.session.value(
      """
      SELECT array_agg(a.id ORDER BY r.opened_at, r.id, a.flag_count DESC, a.id)
      FROM racing.activity AS a LEFT JOIN racing.review AS r ON r.activity_id = a.id AND r.state <> 'decided'
      WHERE a.flag_count + a.uncounted_flags > 0 OR r.id IS NOT NULL
      """, as: [Int64].self)
  }

  @Test func `a page of racing.flagged continues after the last activity of the one before it`() async throws {
    let course = try await Self.world(41)
    // A rejected activity may have an open review as well.
    try await course.session.script(
      """
      UPDATE racing.activity SET status = 'rejected', reasons = '{uk}' WHERE id IN (3, 5);
      INSERT INTO racing.review (activity_id, state, opened_at) VALUES (3, 'info_requested', settled.clock());
      """)
    let all = try await Self.all(course)
    for max in [1, 7, 20, 41, 500] {
      var (seen, after) = ([Int64](), "null")
      while true {
        let page = try await Self.ids(course, "after => \(after), max => \(max)")
        #expect(page.count <= max)
        guard let last = page.last else { break }
        seen += page
        after = "\(last)"
      }
      #expect(seen == all, "pages of \(max)")
    }
    #expect(try await Self.ids(course, "") == all, "called as before there were pages")
  }

  @Test func `a page of racing.flagged skips nothing when an activity was decided meanwhile`() async throws {
    let course = try await Self.world(20)
    let all = try await Self.all(course)
    for (place, decided) in [(4, all[4]), (14, all[14])] {
      let behind = Set(all[(place + 1)...])
      try await course.session.run("SELECT racing.review_activity(\(decided), 'approve', 'mod', '')")
      let page = try await Self.ids(course, "after => \(decided)")
      #expect(behind.subtracting(page).subtracting([all[4], all[14]]) == [])
      if place == 4 { #expect(page.first == all[5]) }
    }
    let app = try await course.database.connect(.app)
    #expect(try await app.tried("SELECT racing.flagged(after => 99)") == "SD404 activity")
    try await course.session.run("UPDATE racing.activity SET flag_count = 0 WHERE id = 1")
    #expect(try await app.tried("SELECT racing.flagged(after => 1)") == "SD409 status")
  }

  /// A page of a hundred flags each, with the longest notes, would be larger than the server makes an array.
  @Test func `racing.flagged shows the oldest ten flags of each activity, and a hundred of a single one`() async throws
  {
    let course = try await Self.world(100)
    try await course.session.script(
      """
      INSERT INTO racing.athlete (display_name, user_type, created_at)
        SELECT 'user', 'spectator', settled.clock() FROM generate_series(1, 120);
      INSERT INTO racing.flag (activity_id, flagged_by, reason, notes, flagged_at)
        SELECT a.id, u.id, 'other', repeat('\u{1F600}', 10000), settled.clock()
        FROM racing.activity AS a, racing.athlete AS u WHERE u.user_type = 'spectator' ORDER BY a.id, u.id;
      UPDATE racing.activity SET flag_count = 120;
      """)
    let shown: Statement = """
      SELECT array_agg(DISTINCT jsonb_array_length(f -> 'flags')), array_agg(DISTINCT (f #>> '{activity,flagCount}')::bigint),
        bool_and((f #>> '{flags,0,flaggedBy}')::bigint = 2)
      FROM jsonb_array_elements(racing.flagged()) AS f
      """
    let (flags, counts, isOldest) = try await course.session.query(shown).one([Int32].self, [Int64].self, Bool.self)
    #expect(flags == [10] && counts == [120] && isOldest)
    let one: Statement = "SELECT jsonb_array_length(racing.review_of(1) -> 'flags')"
    #expect(try await course.session.query(one).one(Int32.self) == 100)
  }

  @Test func `a page of racing.flagged costs the same in long and short lists, at any position`() async throws {
    var pages: [[Int]] = []
    for size in [1000, 20_000] {
      let course = try await Self.world(size)
      let all = try await Self.all(course)
      var touched: [Int] = []
      for after in ["null", "\(all[all.count / 4])", "\(all[all.count * 3 / 4])"] {
        touched.append(
          try await course.session.pagesTouched("SELECT racing.flagged(after => \(raw: after), max => 20)"))
      }
      pages.append(touched)
    }
    for (few, many) in zip(pages[0], pages[1]) { #expect(many < few + few / 2 + 50, "\(pages)") }
  }
}
