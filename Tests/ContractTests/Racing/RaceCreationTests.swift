import Postgres
import TestSupport
import Testing

@Suite("create_race") struct RaceCreationTests {
  @Test func `create_race takes the fee from the duration, for any window`() async throws {
    let course = try await Course()
    for (duration, fee) in [("daily", 100), ("weekly", 499), ("monthly", 1599)] {
      let race = try await course.race(duration: duration, from: "2031-06-03T00:00:00Z", to: "2031-06-03T01:30:00Z")
      #expect(try await course.session.value("SELECT entry_fee_pence FROM racing.race WHERE id = \(race)") == fee)
    }
  }

  static let snapshot = """
    jsonb_build_object('fee', entry_fee_pence, 'percent', platform_fee_percent, 'shares', prize_shares, 'due', due_at - ends_at,
      'attend', next_check_at - ends_at, 'cutoff', entry_cutoff, 'hold', review_hold)
    """

  @Test func `create_race keeps the settings of its time; a later change affects later races only`() async throws {
    let course = try await Course()
    let session = course.session
    let first = try await course.race()
    let defaults = """
      {"fee": 100, "percent": 1.00, "shares": [75, 20, 5], "due": "01:00:00", "attend": "01:00:00",
       "cutoff": "03:00:00", "hold": "72:00:00"}
      """
    let shown = "(SELECT \(Self.snapshot) FROM racing.race WHERE id = "
    try await session.expect("\(shown) \(first))", is: defaults)
    for (key, value) in [
      ("racing.platform_fee_percent", "2.5"), ("racing.prize_shares", "60,30,10"), ("racing.results_grace", "0"),
      ("racing.entry_cutoff", "90m"), ("racing.review_hold", "2d"),
    ] {
      try await session.run("SELECT settled.set('\(key)', '\(value)')")
    }
    let second = try await course.race(type: "fastest_5km")
    try await session.expect("\(shown) \(first))", is: defaults)
    try await session.expect(
      "\(shown) \(second))",
      is: """
        {"fee": 100, "percent": 2.50, "shares": [60, 30, 10], "due": "00:00:00", "attend": "00:00:00",
         "cutoff": "01:30:00", "hold": "48:00:00"}
        """)
  }

  @Test func `a race accepts entries until the cut-off that it was created with`() async throws {
    let course = try await Course()
    let athletes = [try await course.athlete("A"), try await course.athlete("B")]
    let old = try await course.race()
    try await course.session.run("SELECT settled.set('racing.entry_cutoff', '1h')")
    let new = try await course.race(type: "fastest_1km")
    try await course.setClock("2031-06-03T21:00:00Z")
    try await expectRefusal(sqlState: "SD409", rule: "cutoff") { try await course.enter(athletes[0], old) }
    _ = try await course.enter(athletes[0], new)
    try await course.setClock("2031-06-03T23:00:00Z")
    try await expectRefusal(sqlState: "SD409", rule: "cutoff") { try await course.enter(athletes[1], new) }
  }

  /// Spans are exact seconds: a session whose zone changes its clock that night adds no hour.
  @Test(
    arguments: [
      ("2031-03-30T00:00:00Z", "2031-03-30T23:00:00Z", 23, "2031-03-31T23:00:00Z", "2031-03-29T23:00:00Z"),
      ("2031-10-25T23:00:00Z", "2031-10-27T00:00:00Z", 25, "2031-10-28T00:00:00Z", "2031-10-26T00:00:00Z"),
    ], ["UTC", "Europe/London", "America/New_York"])
  func `create_race gives a London day of a clock change its exact hours`(
    day: (starts: String, ends: String, hours: Int64, due: String, closes: String), zone: String
  ) async throws {
    let course = try await Course(at: "2031-01-01T00:00:00Z")
    let session = course.session
    try await session.run("SET timezone = '\(zone)'")
    for key in ["racing.results_grace", "racing.entry_cutoff", "racing.review_hold"] {
      try await session.run("SELECT settled.set('\(key)', '1 day')")
    }
    let race = try await course.race(from: day.starts, to: day.ends)
    try await session.expect(
      """
      (SELECT jsonb_build_object('hours', extract(epoch FROM ends_at - starts_at)::bigint / 3600,
        'midnights', starts_at AT TIME ZONE 'Europe/London' = date_trunc('day', starts_at AT TIME ZONE 'Europe/London')
          AND ends_at AT TIME ZONE 'Europe/London' = date_trunc('day', starts_at AT TIME ZONE 'Europe/London') + interval '1 day',
        'due', due_at = '\(day.due)') FROM racing.race)
      """, is: #"{"hours": \#(day.hours), "midnights": true, "due": true}"#)
    let athlete = try await course.athlete()
    try await session.run("SELECT settled.set_clock(timestamptz '\(day.closes)' - interval '1 second')")
    #expect(try await session.tried("SELECT racing.enter_race(\(athlete), \(race))") == "ok")
    try await course.setClock(day.closes)
    #expect(try await session.tried("SELECT racing.enter_race(\(athlete), \(race))") == "SD409 cutoff")
  }

  @Test func `create_race takes a window that has begun, and none that has ended`() async throws {
    let course = try await Course(at: "2031-06-02T09:00:00Z")
    let cases = [
      ("2031-06-02T09:00:01Z", "2031-06-02T09:00:02Z", "ok", "upcoming"),
      ("2031-06-02T09:00:00Z", "2031-06-02T09:00:02Z", "ok", "active"),
      ("1999-01-01T00:00:00Z", "2031-06-02T09:00:01Z", "ok", "active"),
      ("2031-06-02T08:00:00Z", "2031-06-02T09:00:00Z", "SD400 ends-at", nil),
      ("2031-06-03T00:00:00Z", "2031-06-03T00:00:00Z", "SD400 ends-at", nil),
      ("2031-06-04T00:00:00Z", "2031-06-03T00:00:00Z", "SD400 ends-at", nil),
    ]
    for (starts, ends, expected, status) in cases {
      #expect(try await outcome { try await course.race(from: starts, to: ends) } == expected, "\(starts) \(ends)")
      if let status {
        #expect(try await course.status(course.session.value("SELECT max(id) FROM racing.race")) == status, "\(starts)")
      }
    }
  }

  @Test func `create_race refuses the key of an existing race, and no other`() async throws {
    let course = try await Course()
    _ = try await course.race()
    try await expectRefusal(sqlState: "SD409", rule: "race") { try await course.race() }
    try await expectRefusal(sqlState: "SD409", rule: "race") { try await course.race(to: "2031-06-09T00:00:00Z") }
    _ = try await course.race(type: "fastest_5km")
    _ = try await course.race(duration: "weekly")
    _ = try await course.race(category: "men_u23")
    _ = try await course.race(from: "2031-06-03T00:00:01Z")
  }

  @Test func `two equal create_race calls at once make one race`() async throws {
    let course = try await Course()
    let call = """
      SELECT racing.create_race('top_speed', 'daily', 'men_u23', '2031-06-03T00:00Z', '2031-06-04T00:00Z')
      """
    #expect(try await course.calls([call, call], heldBy: call) == ["SD409 race", "SD409 race"])
    #expect(try await course.session.value("SELECT count(*) FROM racing.race") == 1)
  }

  @Test func `create_race makes the race when the earlier call is rolled back`() async throws {
    let course = try await Course()
    let call = """
      SELECT racing.create_race('top_speed', 'daily', 'men_u23', '2031-06-03T00:00Z', '2031-06-04T00:00Z')
      """
    #expect(try await course.calls([call], heldBy: call, commit: false) == ["ok"])
  }
}
