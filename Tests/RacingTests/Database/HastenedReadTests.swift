import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Strava.docc/Reads.md, and Racing.docc/Holds.md, "Entrants who are not listed".
@Suite("Reads that an athlete hastens or multiplies", .timeLimit(.minutes(3))) struct HastenedReadTests {
  /// Ann has claimed 6 km in time; the listing of Bea was not read for lack of budget.
  private func starved(weekly: Bool) async throws -> (world: ClaimDay, race: Int64, ann: Int64, bea: Int64) {
    let world = try await ClaimDay()
    let race = try await world.day.course.race(type: "fastest_1km")
    let week = try await world.day.course.race(
      type: "fastest_1km", duration: "weekly", to: "2031-06-10T00:00:00Z")
    let (ann, bea) = (try await world.athlete("Ann"), try await world.athlete("Bea"))
    for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
    if weekly { _ = try await world.day.course.enter(bea, week) }
    try await world.session.execute("UPDATE strava.connection SET expires_at = '2031-07-01T00:00:00Z'")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    try await world.list(ann, [ClaimDay.outing(1)])
    try await world.addStreams(ann, ClaimDay.outing(1), kilometre: 300)
    try await world.day.validate()
    try await world.dropReads()
    try await world.day.pass(to: "2031-06-04T00:00:00Z")
    try await world.session.execute("DELETE FROM strava.read_request WHERE athlete_id = \(ann)")
    try await world.day.useUpReads(at: "2031-06-04T00:10:00Z")
    try await world.day.pass(to: "2031-06-04T00:55:00Z")
    try await world.endReads()
    try await world.day.finish()
    return (world, race, ann, bea)
  }

  @Test(arguments: [false, true])
  func `a late listing counts for one who has entered a longer race as well`(weekly: Bool) async throws {
    let (world, race, _, bea) = try await starved(weekly: weekly)
    #expect(try await world.day.course.status(race) == "ended")
    try await world.day.pass(to: "2031-06-04T01:30:00Z")
    try await world.listInLine(bea, [ClaimDay.outing(9)])
    #expect(try await world.reads(bea) == ["streams 9 0"])
    try await world.day.settle()
    #expect(try await world.day.course.status(race) == "ended", "the race waits for the streams")
    try await world.addStreams(bea, ClaimDay.outing(9), kilometre: 200)
    let counts = try await world.session.query(
      "SELECT imported_at < '2031-06-04T01:00:00Z' FROM racing.activity WHERE strava_id = 9"
    ).one(Bool.self)
    #expect(counts)
  }

  @Test func `an athlete has at most 25 streams in a line`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete("Ann")
    let race = try await world.day.course.race(type: "fastest_1km")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let minutes = (10...39).map { "2031-06-03T08:\($0):00Z" }
    let outings = minutes.enumerated().map { ClaimDay.outing(Int64($0.offset + 1), at: $0.element) }
    // As a hint's listing brings them.
    try await world.list(ann, outings, class: 3)
    #expect(try await world.activities().count == 30)
    try await world.day.validate()
    try await world.dropReads()
    _ = try await world.day.course.enter(ann, race)
    #expect(try await world.reads(ann).count <= 25, "at the entry")
    try await world.dropReads()
    try await world.day.pass(to: "2031-06-04T00:10:00Z")
    try await world.dropReads()
    let changed = minutes.enumerated().map {
      ClaimDay.outing(Int64($0.offset + 1), at: $0.element, distance: "6100")
    }
    try await world.list(ann, changed, class: 0)
    #expect(try await world.reads(ann).count <= 25, "in the line of the results")
  }

  @Test func `a second look that a claim hastens is not a missing listing`() async throws {
    let (world, _, eve) = try await ended()
    try await world.day.course.setClock("2031-06-04T00:05:00Z")
    try await world.listInLine(eve, [])
    #expect(try await world.reads(eve) == ["listing 0"], "the second look")
    try await world.day.course.setClock("2031-06-04T00:12:00Z")
    try await world.post(eve, ClaimDay.outing(5, distance: "1500"))
    try await world.day.useUpReads(at: "2031-06-04T00:14:00Z")
    try await world.day.pass(to: "2031-06-04T00:55:00Z")
    try await world.endReads()
    try await world.day.finish()
    try await world.day.pass(to: "2031-06-04T01:30:00Z")
    #expect(try await world.reads(eve) == ["listing 1"])
    // She has made it behind the due instant.
    try await world.listInLine(eve, [ClaimDay.outing(9, distance: "9000")])
    let counted = try await world.session.query(
      "SELECT count(*) FROM racing.qualifying_activity WHERE strava_id = 9"
    ).one(Int64.self)
    #expect(counted == 0)
  }

  @Test(arguments: ["strava-reads", "strava-reads-claims"])
  func `only the limit of results keeps entrants from being listed`(budget: String) async throws {
    let (world, race, bea) = try await waiting { world, _ in
      try await world.session.script("UPDATE settled.call_window SET budget = '\(budget)'")
    }
    let status = try await world.day.course.status(race)
    #expect(status == (budget == "strava-reads" ? "ended" : "settled"), "\(bea)")
  }

  @Test func `an athlete who signs in at the last second was not kept from being listed by the limit`() async throws {
    let (world, race, _) = try await waiting { world, bea in
      try await world.session.execute(
        "UPDATE strava.connection SET status = 'needs_reauth', reason = 'grant' WHERE athlete_id = \(bea)")
      _ = try await world.session.query("SELECT strava.hold_reads(\(bea))")
      try await world.day.course.setClock("2031-06-04T00:54:59Z")
      try await world.sign(bea, in: 7000 + bea)
      _ = try await world.session.query("SELECT strava.resume_reads(\(bea))")
    }
    #expect(try await world.day.course.status(race) == "settled")
  }

  /// Ann has 6 km; the listing of the other entrant is asked for at midnight.
  private func ended() async throws -> (world: ClaimDay, race: Int64, other: Int64) {
    let world = try await ClaimDay()
    let race = try await world.day.course.race(type: "furthest_distance")
    let (ann, other) = (try await world.athlete("Ann"), try await world.athlete("Bea"))
    for athlete in [ann, other] { _ = try await world.day.course.enter(athlete, race) }
    try await world.session.execute("UPDATE strava.connection SET expires_at = '2031-07-01T00:00:00Z'")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    try await world.answer(ann, 1, "found", ClaimDay.outing(1))
    try await world.day.validate()
    try await world.dropReads()
    try await world.day.pass(to: "2031-06-04T00:00:00Z")
    try await world.session.execute("DELETE FROM strava.read_request WHERE athlete_id = \(ann)")
    return (world, race, other)
  }

  /// The same, and the limit was used up at ten past.
  private func waiting(
    _ change: (ClaimDay, Int64) async throws -> Void
  ) async throws -> (world: ClaimDay, race: Int64, bea: Int64) {
    let (world, race, bea) = try await ended()
    try await world.day.useUpReads(at: "2031-06-04T00:10:00Z")
    try await change(world, bea)
    try await world.day.pass(to: "2031-06-04T00:55:00Z")
    try await world.endReads()
    try await world.day.finish()
    return (world, race, bea)
  }

  @Test func `claims that waited for a scope have at most 25 streams in the line of the results`()
    async throws
  {
    let world = try await ClaimDay()
    let eve = try await world.athlete("Eve")
    let week = try await world.day.course.race(type: "fastest_1km", duration: "weekly", to: "2031-06-08T00:00:00Z")
    _ = try await world.day.course.enter(eve, week)
    try await world.session.execute(
      "UPDATE strava.connection SET expires_at = '2031-07-01T00:00:00Z', missing_scopes = '{activity:read_all}'")
    var outings: [JSON] = []
    for day in 3...6 {
      try await world.day.pass(to: "2031-06-0\(day)T12:00:00Z")
      for minute in 10..<60 {
        outings.append(ClaimDay.outing(Int64(day * 100 + minute), at: "2031-06-0\(day)T08:\(minute):00Z"))
        try await world.post(eve, outings[outings.count - 1])
      }
      try await world.session.execute("UPDATE racing.claim SET reason = 'scope'")
      try await world.dropReads()
    }
    #expect(outings.count == 200)
    try await world.day.pass(to: "2031-06-08T00:00:00Z")
    _ = try await world.session.query(
      "SELECT racing.connect_strava(\(eve), 'c', 'read,activity:read_all,profile:read_all')")
    #expect(try await world.reads(eve) == ["listing 0", "listing 1"])
    try await world.list(eve, outings, class: 0)
    let streams = try await world.reads(eve).filter { $0.hasPrefix("streams") && $0.hasSuffix(" 0") }
    #expect(streams.count <= 50)
  }
}
