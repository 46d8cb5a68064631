import Postgres
import TestSupport
import Testing

@Suite("A page") struct PagingTests {
  /// Reads all ids of a list page by page, and adds a row between any two pages.
  private func ids(
    _ course: Course, page: (Int64?) -> String, adding: (Course) async throws -> Void
  ) async throws -> [Int64] {
    var seen: [Int64] = []
    var last: Int64?
    while true {
      let call =
        "SELECT coalesce(array_agg((e ->> 'id')::bigint ORDER BY n), '{}') FROM jsonb_array_elements(\(page(last))) WITH ORDINALITY AS l (e, n)"
      let ids = try await course.session.value(call, as: [Int64].self)
      if ids.isEmpty { return seen }
      #expect(ids.count <= 3)
      seen += ids
      try #require(Set(seen).count == seen.count, "an id comes twice")
      last = ids.last
      if seen.count < 20 { try await adding(course) }
    }
  }

  @Test func `a page of transactions stays the same while money comes in`() async throws {
    let course = try await Course()
    let athlete = try await course.athlete(pence: 0)
    _ = try await course.athlete("Somebody else")
    for number in 1...10 { try await course.session.run("SELECT racing.deposit(\(athlete), \(number), 'k\(number)')") }
    let all = try await course.session.value(
      "SELECT array_agg(id ORDER BY id DESC) FROM racing.posting WHERE athlete_id = \(athlete)", as: [Int64].self)
    let seen = try await ids(
      course, page: { "racing.transactions(\(athlete), \($0.map { "\($0)" } ?? "null"), 3)" }
    ) { course in
      try await course.session.run("SELECT racing.deposit(\(athlete), 1, gen_random_uuid()::text)")
    }
    #expect(seen == all)
    let balances =
      "(SELECT jsonb_agg(t -> 'balancePence') FROM jsonb_array_elements(racing.transactions(\(athlete), \(all[0] + 1))) t)"
    try await course.session.expect(balances, is: "[55, 45, 36, 28, 21, 15, 10, 6, 3, 1]")
  }

  @Test func `pages of entries, activities and races stay the same while more come`() async throws {
    let course = try await Course(at: "2031-06-03T12:00:00Z")
    let athlete = try await course.athlete()
    for hour in 10...19 {
      let race = try await course.race(from: "2031-06-03T\(hour):00:00Z")
      _ = try await course.enter(athlete, race)
      _ = try await course.outing(athlete, stravaId: Int64(hour))
    }
    try await course.session.run("UPDATE racing.activity SET status = 'verified', scored = true")
    let before: (Int64?) -> String = { $0.map { "\($0)" } ?? "null" }
    let newest = Array((1...10).map { Int64($0) }.reversed())
    let more: (Course) async throws -> Void = { course in
      let minute = try await course.session.value("SELECT count(*) FROM racing.race") + 10
      let race = try await course.race(from: "2031-06-03T20:\(minute):00Z")
      _ = try await course.enter(athlete, race)
      let activity = try await course.outing(athlete, stravaId: 100 + minute)
      try await course.session.run(
        "UPDATE racing.activity SET status = 'verified', scored = true WHERE id = \(activity)")
    }
    #expect(try await ids(course, page: { "racing.entries(\(athlete), \(before($0)), 3)" }, adding: more) == newest)
    for owner in ["\(athlete)", "null"] {
      let all = try await course.session.value(
        "SELECT array_agg(id ORDER BY id DESC) FROM racing.activity", as: [Int64].self)
      #expect(try await ids(course, page: { "racing.activities(\(owner), \(before($0)), 3)" }, adding: more) == all)
    }
    // Oldest first, so what comes meanwhile is still ahead and is read too.
    let races = try await ids(course, page: { "racing.races(after => \(before($0)), max => 3)" }, adding: more)
    #expect(
      try await races == course.session.value("SELECT array_agg(id ORDER BY id) FROM racing.race", as: [Int64].self))
  }
}
