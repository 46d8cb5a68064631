import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Holds.md, "Entrants who are not listed".
@Suite("A race whose entrants the limit of reads keeps from being listed", .timeLimit(.minutes(3)))
struct UnlistedEntrantTests {
  private struct Starved {
    let world: ClaimDay
    let race: Int64
    let ann: Int64
    let bea: Int64

    var day: RaceDay { world.day }
    var session: Connection { world.session }

    init(world: ClaimDay, race: Int64, ann: Int64, bea: Int64) {
      (self.world, self.race, self.ann, self.bea) = (world, race, ann, bea)
    }

    /// Ann has claimed 6 km in time; the listing of Bea, who has claimed nothing, was not read for lack of budget.
    init(
      type: String = "furthest_distance", proof: String = "on", instead change: String = "", isEnded: Bool = true
    ) async throws {
      world = try await ClaimDay()
      race = try await world.day.course.race(type: type)
      (ann, bea) = (try await world.athlete("Ann"), try await world.athlete("Bea"))
      for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
      try await session.execute("UPDATE strava.connection SET expires_at = '2031-07-01T00:00:00Z'")
      try await day.pass(to: "2031-06-03T12:00:00Z")
      try await world.post(ann, ClaimDay.outing(1))
      try await world.list(ann, [ClaimDay.outing(1)])
      try await world.dropReads()
      if type.hasPrefix("fastest") { try await world.addStreams(ann, ClaimDay.outing(1), kilometre: 300) }
      try await day.validate()
      if proof == "off" {
        try await session.script("SELECT settled.set('racing.proof', 'off'), settled.set('strava.import', 'on')")
      }
      try await day.pass(to: "2031-06-04T00:00:00Z")
      try await session.execute("DELETE FROM strava.read_request WHERE athlete_id = \(ann)")
      try await day.useUpReads(at: "2031-06-04T00:10:00Z")
      if !change.isEmpty { try await session.script(change) }
      try await day.pass(to: "2031-06-04T00:55:00Z")
      if isEnded { try await world.endReads() }
      try await day.finish()
    }

    /// What only a late listing shows is reviewed first.
    func approve(_ stravaId: Int64 = 9) async throws {
      let (id, reasons) = try await session.query(
        """
        SELECT a.id, r.reasons::text FROM racing.activity AS a JOIN racing.review AS r ON r.activity_id = a.id
        WHERE a.strava_id = \(stravaId) AND a.status = 'under_review' AND r.state <> 'decided'
        """
      ).one(Int64.self, String.self)
      #expect(reasons == "{late_change}")
      try await day.course.review(id, "approve")
    }

    var waitingFor: String {
      get async throws {
        try await session.query("SELECT coalesce((racing.race(\(race))->'waitingFor')::text, '')").one(String.self)
      }
    }

    var problem: String? {
      get async throws { try await session.query("SELECT racing.claims_problem()").one(String?.self) }
    }
  }

  @Test func `a race waits until its entrants are listed, and what the listing brings counts as if in time`()
    async throws
  {
    let it = try await Starved()
    #expect(
      try await it.waitingFor
        == #"{"until": "2031-06-04T03:00:00.000Z", "reason": "provider", "activities": []}"#)
    #expect(
      try await it.problem
        == "races are waiting for the activities of 1 entrant to be listed, "
        + "because the provider's read limit is used up")
    #expect(try await it.day.explain(it.race, "hold").text.contains(#""athletes": [\#(it.bea)]"#))
    let races = try await it.session.query(RaceList.statement(.init(), before: .max, limit: 10)).one(JSON.self)
    #expect(races.text.contains(#""reason": "provider""#), "\(races)")
    let range = InstantRange(from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 4_000_000_000_000_000))
    for marks in [RaceTimeline.holds(range), RaceTimeline.due(range)] {
      let held = try await it.session.query(
        "SELECT count(*) FILTER (WHERE m.outcome = 'held') FROM (\(fragment: marks)) AS m"
      ).one(Int64.self)
      #expect(held == 1)
    }
    try await it.day.pass(to: "2031-06-04T01:30:00Z")
    try await it.world.listInLine(it.bea, [ClaimDay.outing(9, distance: "9000")])
    try await it.day.settle()
    #expect(try await it.waitingFor.contains(#""reason": "review""#), "the new activity is to be validated")
    try await it.day.validate()
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == nil, "nobody knows whether the provider had it in time")
    try await it.approve()
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.bea)
    #expect(try await it.problem == nil)
    #expect(try await it.day.differences() == [])
  }

  @Test func `an athlete who claims behind the due instant loses nothing by it`() async throws {
    let it = try await Starved()
    let outing = ClaimDay.outing(9, distance: "9000")
    try await it.day.pass(to: "2031-06-04T01:30:00Z")
    try await it.world.post(it.bea, outing)
    try await it.world.list(it.bea, [outing])
    try await it.day.validate()
    try await it.world.listInLine(it.bea, [outing])
    try await it.approve()
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.bea)
    #expect(try await it.day.differences() == [])
  }

  @Test func `the listing for claims behind the due instant brings nothing that was not claimed in time`() async throws
  {
    let world = try await ClaimDay()
    let race = try await world.day.course.race(type: "furthest_distance")
    let (ann, eve) = (try await world.athlete("Ann"), try await world.athlete("Eve"))
    for athlete in [ann, eve] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-04T00:00:00Z")
    try await world.dropReads()
    try await world.post(ann, ClaimDay.outing(1))
    try await world.answer(ann, 1, "found", ClaimDay.outing(1))
    try await world.day.validate()
    try await world.day.pass(to: "2031-06-04T00:58:00Z")
    try await world.post(eve, ClaimDay.outing(2, distance: "2000"))
    #expect(try await world.reads(eve) == ["listing 0", "listing 1"])
    try await world.day.finish()
    try await world.day.pass(to: "2031-06-04T01:10:00Z")
    let it = Starved(world: world, race: race, ann: ann, bea: eve)
    try await it.world.listInLine(it.bea, [ClaimDay.outing(2, distance: "2000"), ClaimDay.outing(3, distance: "9000")])
    try await world.day.validate()
    try await world.day.settle()
    #expect(try await it.world.winner(it.race) == ann)
    #expect(try await world.day.differences() == [])
  }

  @Test func `a race waits for its entrants also where it is decided before the daemon has ended their listings`()
    async throws
  {
    let it = try await Starved(isEnded: false)
    #expect(try await it.waitingFor.contains(#""reason": "provider""#))
    #expect(try await it.problem?.contains("1 entrant") == true)
    try await it.world.endReads()
    #expect(try await it.world.reads(it.bea) == ["listing 0"])
    try await it.world.listInLine(it.bea, [])
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.ann)
  }

  @Test func `an athlete who claims behind the due instant loses no streams by it`() async throws {
    let it = try await Starved(type: "fastest_1km")
    try await it.day.pass(to: "2031-06-04T01:30:00Z")
    try await it.world.post(it.bea, ClaimDay.outing(9))
    try await it.world.list(it.bea, [ClaimDay.outing(9)])
    #expect(try await it.world.reads(it.bea) == ["listing 0", "listing 1", "streams 9 1"])
    try await it.world.addStreams(it.bea, ClaimDay.outing(9), kilometre: 200)
    try await it.world.listInLine(it.bea, [ClaimDay.outing(9)])
    try await it.day.validate()
    try await it.approve()
    try await it.session.execute("DELETE FROM strava.read_request")
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.bea)
    #expect(try await it.day.differences() == [])
  }

  @Test func `a listing that brings nothing ends the wait at once`() async throws {
    let it = try await Starved()
    try await it.day.pass(to: "2031-06-04T01:30:00Z")
    try await it.world.listInLine(it.bea, [])
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.ann)
    #expect(try await it.session.query("SELECT count(*) FROM strava.read_request").one(Int64.self) == 0)
    #expect(try await it.day.differences() == [])
  }

  @Test func `the wait lasts as long as the limit is used up, and ends with the review hold`() async throws {
    let it = try await Starved()
    try await it.day.useUpReads(at: "2031-06-04T02:59:00Z")
    try await it.day.pass(to: "2031-06-04T03:00:00Z")
    try await it.day.settle()
    #expect(try await it.waitingFor.contains("2031-06-04T04:59:00.000Z"))
    try await it.day.useUpReads(at: "2031-06-07T00:59:00Z")
    try await it.day.pass(to: "2031-06-07T00:59:59Z")
    try await it.day.settle()
    #expect(try await it.waitingFor.contains("2031-06-07T01:00:00.000Z"))
    try await it.day.pass(to: "2031-06-07T01:00:00Z")
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.ann)
    #expect(try await it.day.differences() == [])
  }

  /// Why a listing is missing, other than by the limit.
  @Test(arguments: [
    "DELETE FROM settled.call_window", "UPDATE settled.call_window SET short_at = '2031-06-03T23:59:59Z'",
    "UPDATE strava.connection SET status = 'needs_reauth', reason = 'grant'",
    "UPDATE strava.connection SET expires_at = settled.clock()",
    "UPDATE strava.read_request SET was_read = true",
    "UPDATE strava.connection SET refused_expiry = expires_at", "UPDATE strava.read_request SET failures = 1",
    "UPDATE strava.read_request SET next_call_at = 'infinity'", "DELETE FROM strava.read_request",
  ])
  func `a race does not wait for an entrant whom nobody could list for another reason`(change: String) async throws {
    let it = try await Starved(instead: change)
    #expect(try await it.world.winner(it.race) == it.ann, "\(change)")
    #expect(try await it.problem == nil)
  }

  @Test func `a race waits for listings only while racing.proof is on`() async throws {
    let it = try await Starved(proof: "off")
    #expect(try await it.world.winner(it.race) == it.ann)
  }

  @Test func `streams of what a late listing brings are read, and a kilometre counts`() async throws {
    let it = try await Starved(type: "fastest_1km")
    try await it.world.listInLine(it.bea, [ClaimDay.outing(9)])
    #expect(try await it.world.reads(it.bea) == ["streams 9 0"])
    try await it.day.settle()
    #expect(try await it.waitingFor.contains(#""reason": "provider""#))
    try await it.world.addStreams(it.bea, ClaimDay.outing(9), kilometre: 200)
    try await it.day.validate()
    try await it.approve()
    try await it.session.execute("DELETE FROM strava.read_request")
    try await it.day.settle()
    #expect(try await it.world.winner(it.race) == it.bea)
    #expect(try await it.day.differences() == [])
  }

  @Test func `signing in again and again asks for one listing each time a scope is granted, once before results`()
    async throws
  {
    let world = try await ClaimDay()
    let eve = try await world.athlete("Eve")
    let race = try await world.day.course.race()
    _ = try await world.day.course.enter(eve, race)
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.session.execute("UPDATE strava.connection SET missing_scopes = '{activity:read_all}'")
    try await world.post(eve, ClaimDay.outing(1))
    try await world.answer(eve, 1, "hidden")
    #expect(try await world.claims() == ["1 of \(eve) open scope"])
    try await world.day.pass(to: "2031-06-04T00:00:00Z")
    let (all, few) = ("read,activity:read_all,profile:read_all", "read,profile:read_all")
    for (scope, expected) in [
      (few, []), (all, ["listing 0", "listing 1"]), (all, []), (all, []), (few, []), (all, ["listing 1"]), (few, []),
    ] as [(String, [String])] {
      try await world.dropReads()
      _ = try await world.session.query("SELECT racing.connect_strava(\(eve), 'c', \(scope))")
      #expect(try await world.reads(eve) == expected, "\(scope)")
    }
    // The same claim again is one read by its id.
    try await world.dropReads()
    try await world.post(eve, ClaimDay.outing(1))
    #expect(try await world.reads(eve) == ["activity 1 1"])
  }
}
