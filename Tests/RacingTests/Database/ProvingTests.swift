import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Claims.md, "Proof", and "Whose id it is".
@Suite("The provider's word") struct ProvingTests {
  private static func activity(_ world: ClaimDay, _ id: Int64) async throws -> String {
    try await world.session.query(
      """
      SELECT concat_ws(' ', a.id, a.distance, a.visibility, CASE WHEN a.provider_flagged THEN 'flagged' END,
        CASE WHEN a.is_proved THEN 'proved' END, settled.iso(a.imported_at),
        (SELECT count(*) || ' streams' FROM racing.activity_stream AS s WHERE s.activity_id = a.id))
      FROM racing.activity AS a WHERE a.strava_id = \(id)
      """
    ).one(String.self)
  }

  @Test func `proof makes an activity of a claim with the provider's values, the claim's id and its instant`()
    async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    let race = try await world.day.course.race()
    _ = try await world.day.course.enter(ann, race)
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2, 3] as [Int64] {
      try await world.post(ann, ClaimDay.outing(id, speed: "99999", distance: "99999999"))
    }
    // Long after the due instant: what was claimed in time counts from then.
    try await world.day.pass(to: "2031-06-05T12:00:00Z")
    let shown = #", "visibility": "followers_only", "flagged": true"#
    try await world.list(ann, [ClaimDay.outing(1, more: shown), ClaimDay.outing(9, type: "Run"), ClaimDay.outing(8)])
    try await world.answer(ann, 2, "found", ClaimDay.outing(2, type: "Run", distance: "5"))
    let ids = try await world.session.query("SELECT array_agg(id ORDER BY id) FROM racing.claim").one([Int64].self)
    #expect(ids == [3])
    #expect(try await world.claims() == ["3 of 1 open"])
    #expect(
      try await Self.activity(world, 1) == "1 6000 followers_only flagged proved 2031-06-03T12:00:00.000Z 0 streams")
    #expect(try await Self.activity(world, 2) == "2 5 only_me proved 2031-06-03T12:00:00.000Z 0 streams")
    // What nobody claimed is imported now, if it is of a type that can count.
    let other = try await Self.activity(world, 8)
    #expect(other.hasSuffix("6000 only_me proved 2031-06-05T12:00:00.000Z 0 streams"))
    #expect(try await world.session.query("SELECT count(*) FROM racing.activity").one(Int64.self) == 3)
    try await world.day.validate()
    #expect(
      try await world.activities()
        == [
          "1 of 1 under_review {}", "2 of 1 rejected {type,gps,uk}", "8 of 1 verified {}",
        ].map { $0.replacing("{type,gps,uk}", with: "{type}") })
  }

  @Test func `a listing asks by id for open claims in its span that no page has shown, and for no others`()
    async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    let race = try await world.day.course.race(type: "fastest_1km")
    _ = try await world.day.course.enter(ann, race)
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2, 3, 4] as [Int64] { try await world.post(ann, ClaimDay.outing(id)) }
    try await world.post(ann, ClaimDay.outing(5, at: "2031-06-02T10:00:00Z"))
    try await world.answer(ann, 4, "hidden")
    try await world.dropReads()
    let asked = "2031-06-03T12:00:00Z"
    try await world.list(ann, [ClaimDay.outing(1, distance: "999.9"), ClaimDay.outing(7, type: "Run")], isLast: false)
    #expect(try await world.reads(ann) == [])
    try await world.day.pass(to: "2031-06-03T12:01:00Z")
    // Claimed since the listing began.
    try await world.post(ann, ClaimDay.outing(6))
    try await world.dropReads()
    try await world.list(ann, [ClaimDay.outing(2)], askedAt: asked)
    #expect(try await world.reads(ann) == ["activity 3 1", "streams 2 1"])
    // The next listing does not show it any more.
    try await world.day.pass(to: "2031-06-03T12:03:00Z")
    try await world.dropReads()
    try await world.list(ann, [])
    #expect(try await world.reads(ann) == ["activity 2 1", "activity 3 1", "activity 6 1"])
  }

  /// An athlete in a race of a type over 3 June: whether streams are read of an outing of this length and kind.
  private static let streams: [(race: String, distance: String, kind: String, isRead: Bool)] = [
    ("fastest_1km", "1000", "Kayaking", true), ("fastest_1km", "999.9", "Kayaking", false),
    ("fastest_5km", "5000", "Canoeing", true), ("fastest_5km", "4999", "Canoeing", false),
    ("fastest_5km", "9000", "Rowing", false), ("top_speed", "9000", "Kayaking", false),
  ]

  @Test(arguments: streams)
  func `streams are read of what can change a race over a kilometre or five, and of nothing else`(
    race: String, distance: String, kind: String, isRead: Bool
  ) async throws {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    _ = try await world.day.course.enter(ann, try await world.day.course.race(type: race))
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let outing = ClaimDay.outing(1, type: kind, distance: distance)
    for athlete in [ann, bea] {
      let (claimed, fetched) = (Int64(10 * athlete), Int64(10 * athlete + 1))
      let copies = [claimed, fetched].map {
        JSON(text: outing.text.replacing(#""stravaId": 1,"#, with: "\"stravaId\": \($0),"))
      }
      try await world.post(athlete, copies[0])
      try await world.dropReads()
      try await world.list(athlete, copies)
      #expect(try await world.reads(athlete) == (isRead && athlete == ann ? ["streams \(claimed) 1"] : []))
      // What nobody claims is left to the listing before the results.
      try await world.dropReads()
      try await world.list(athlete, copies, class: 0)
      let reads = ["streams \(claimed) 0", "streams \(fetched) 0"]
      #expect(try await world.reads(athlete) == (isRead && athlete == ann ? reads : []))
    }
  }

  @Test func `a listing reads the streams of 25 unclaimed activities at most, and of all that are claimed`()
    async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    _ = try await world.day.course.enter(ann, try await world.day.course.race(type: "fastest_1km"))
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let outings = (1...40).map { ClaimDay.outing(Int64($0), speed: "4.\(10 + $0)") }
    try await world.post(ann, outings[0])
    try await world.dropReads()
    try await world.list(ann, outings, class: 0)
    #expect(
      try await world.reads(ann) == ([1] + Array(16...40)).map { "streams \($0) 0" }.sorted(),
      "the fastest, and the claim")
    let kept = try await world.session.query("SELECT count(*) FROM racing.activity").one(Int64.self)
    #expect(kept == 14)
  }

  @Test func `an entrant has no other account than the one that entered until the race is settled`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    let race = try await world.day.course.race()
    _ = try await world.day.course.enter(ann, race)
    func may(_ account: Int64) async throws -> Bool {
      try await world.session.query("SELECT racing.claim_account(\(ann), \(account))").one(Bool.self)
    }
    let before = [try await may(7000 + ann), try await may(9)]
    #expect(before == [true, false])
    try await world.day.cancel(race)
    let after = try await may(9)
    #expect(after)
  }

  @Test func `a listing that waits follows strava.import again when racing.proof is switched off`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    _ = try await world.session.query(
      """
      SELECT strava.ask_listing(\(ann), settled.clock() - interval '1 day', settled.clock(),
        settled.clock() + interval '1 hour', 0)
      """)
    _ = try await world.session.query("SELECT settled.set('racing.proof', 'off')")
    let follows = try await world.session.query("SELECT follows_switch FROM strava.read_request").one(Bool.self)
    #expect(follows)
  }

  @Test func `a claim that a settlement held is late for that race when a clock that went back sees it again`()
    async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    _ = try await world.day.course.enter(ann, try await world.day.course.race())
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    try await world.day.pass(to: "2031-06-08T00:00:00Z")
    try await world.day.settle()
    let held = try await world.session.query("SELECT cardinality(held_activities)::bigint FROM racing.settlement").one(
      Int64.self)
    #expect(held == 1)
    try await world.answer(ann, 1, "missing")
    try await world.session.execute(
      "UPDATE settled.installation SET clock_base = clock_base - interval '107 hours'")
    try await world.post(ann, ClaimDay.outing(1))
    let isLate = try await world.session.query(
      "SELECT c.rejected_at IS NULL AND c.claimed_at >= r.due_at FROM racing.claim AS c, racing.race AS r"
    ).one(Bool.self)
    #expect(isLate)
  }

  @Test func `an activity whose streams are read is a claim until they come, or until they come too late`() async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    _ = try await world.day.course.enter(ann, try await world.day.course.race(type: "fastest_1km"))
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2] as [Int64] { try await world.post(ann, ClaimDay.outing(id)) }
    try await world.list(ann, [ClaimDay.outing(1), ClaimDay.outing(2), ClaimDay.outing(3)])
    #expect(try await world.activities() == [])
    let until = try await world.session.query(
      "SELECT settled.iso(min(until_at)) FROM strava.read_request WHERE kind = 'streams'")
    #expect(try until.one(String.self) == "2031-06-04T00:55:00.000Z")
    let streams = #", "streams": {"time": [0, 200, 900], "distance": [0, 1000, 3000]}"#
    _ = try await world.session.query("SELECT racing.take_streams(\(ann), \(ClaimDay.outing(1, more: streams)))")
    for id in [2, 3] as [Int64] {
      _ = try await world.session.query("SELECT racing.end_read(\(ann), 'streams', \(id), \(ClaimDay.outing(id)))")
    }
    #expect(try await world.claims() == [])
    #expect(try await Self.activity(world, 1) == "1 6000 only_me proved 2031-06-03T12:00:00.000Z 1 streams")
    #expect(try await Self.activity(world, 2) == "2 6000 only_me proved 2031-06-03T12:00:00.000Z 0 streams")
    #expect(try await Self.activity(world, 3).hasSuffix("proved 2031-06-03T12:00:00.000Z 0 streams"))
    // Streams that no import takes are refused, and the activity is handed over without them.
    let bad = #", "streams": {"time": [2, 1], "distance": [0, 1]}"#
    try await world.post(ann, ClaimDay.outing(4))
    let call: Statement = "SELECT racing.take_streams(\(ann), \(ClaimDay.outing(4, more: bad)))"
    #expect(try await outcome { _ = try await world.session.query(call) } == "SD400 streams")
  }

  @Test func `entering a race over a kilometre reads the streams that proved activities lack`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2] as [Int64] {
      try await world.post(ann, ClaimDay.outing(id))
      try await world.answer(ann, id, "found", ClaimDay.outing(id))
    }
    try await world.session.execute(
      "UPDATE racing.activity SET started_at = '2031-06-02T10:00:00Z' WHERE strava_id = 2")
    try await world.day.validate()
    try await world.dropReads()
    _ = try await world.day.course.enter(ann, try await world.day.course.race(type: "fastest_1km"))
    #expect(try await world.reads(ann) == ["streams 1 1"])
    let score: Statement = "SELECT fastest_1km_ms FROM racing.activity WHERE strava_id = 1"
    #expect(try await world.session.query(score).one(Int64.self) == 300_000)
    let summary = try await world.session.query("SELECT summary FROM strava.read_request").one(JSON.self)
    _ = try await world.session.query(
      """
      SELECT racing.take_streams(\(ann), \(summary)::jsonb
        || '{"streams": {"time": [0, 200, 900], "distance": [0, 1000, 3000]}}')
      """)
    try await world.day.validate()
    #expect(try await world.session.query(score).one(Int64.self) == 200_000)
  }

  @Test func `an id that proof gives to its owner is taken from whoever imported it, before it counted`() async throws {
    let world = try await ClaimDay()
    let (ann, bea, cat) = (try await world.athlete(), try await world.athlete("Bea"), try await world.athlete("Cat"))
    let race = try await world.day.course.race()
    for athlete in [ann, bea, cat] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    // Vouched for by an app.
    let squatted = try await world.day.course.outing(bea, stravaId: 1, maxSpeed: "6")
    let reviewed = try await world.day.course.outing(bea, stravaId: 2, maxSpeed: "7")
    let disqualified = try await world.day.course.outing(bea, stravaId: 3, maxSpeed: "5")
    try await world.day.validate()
    for (activity, athlete) in [(squatted, ann), (squatted, cat), (reviewed, ann)] {
      _ = try await world.session.query("SELECT racing.flag_activity(\(activity), \(athlete), 'other')")
    }
    _ = try await world.session.query("SELECT racing.review_activity(\(reviewed), 'request_info', 'Mod', 'why')")
    _ = try await world.session.query("SELECT racing.review_activity(\(disqualified), 'disqualify', 'Mod', 'no')")
    try await world.post(cat, ClaimDay.outing(1))
    // A claim is not needed: the listing shows whose they are.
    try await world.post(ann, ClaimDay.outing(1))
    try await world.list(ann, [1, 2, 3].map { ClaimDay.outing($0) })
    #expect(
      try await world.activities() == [
        "(1) of 2 rejected {provider}", "(2) of 2 rejected {provider}", "(3) of 2 disqualified {}",
        "1 of 1 pending {}", "2 of 1 pending {}", "3 of 1 pending {}",
      ])
    #expect(try await world.claims() == ["1 of 3 rejected provider"])
    let open = try await world.session.query(
      """
      SELECT (SELECT count(*) FROM racing.flag WHERE closed_at IS NULL)
        + (SELECT count(*) FROM racing.review WHERE state <> 'decided') + (SELECT sum(flag_count) FROM racing.activity)
      """)
    #expect(try open.one(Int64.self) == 0)
    // Nobody brings them back, and what counts is the owner's.
    for (activity, decision) in [(squatted, "approve"), (disqualified, "approve")] {
      let call: Statement = "SELECT racing.overrule_review(\(activity), \(decision), 'Admin', 'so')"
      #expect(try await outcome { _ = try await world.session.query(call) } == "SD409 status")
    }
    #expect(
      try await outcome { _ = try await world.day.course.outing(bea, stravaId: 1) } == "SD409 strava-id")
    try await world.day.validate()
    try await world.day.finish()
    let counted = try await world.session.query(
      "SELECT array_agg(DISTINCT a.athlete_id) FROM racing.settlement AS s JOIN racing.activity AS a ON a.id = ANY (s.counted_activities)"
    ).one([Int64].self)
    #expect(counted == [ann])
    // It is still in the list of the person who imported it, with its id and the reason.
    let list = try await world.session.query(
      "SELECT jsonb_path_query_array(gateway.racepace_own_activities(\(bea)), '$[*].stravaId')"
    ).one(JSON.self)
    #expect(list.text == "[3, 2, 1]")
    let contract = try await world.session.query("SELECT racing.activity(\(squatted)) -> 'stravaId'").one(JSON.self)
    #expect(contract.text == "1")
  }

  @Test func `an activity that counted in a settled race keeps its id, and an event reports the dispute once`()
    async throws
  {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    let race = try await world.day.course.race()
    for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    _ = try await world.day.course.outing(bea, stravaId: 1, maxSpeed: "6")
    try await world.day.validate()
    try await world.day.finish()
    try await world.list(ann, [ClaimDay.outing(1)])
    try await world.post(ann, ClaimDay.outing(1))
    for _ in 1...2 { try await world.answer(ann, 1, "found", ClaimDay.outing(1)) }
    try await world.list(ann, [ClaimDay.outing(1)])
    #expect(try await world.activities() == ["1 of 2 verified {}"])
    #expect(try await world.claims() == ["1 of 1 rejected provider"])
    #expect(
      try await world.day.course.events("activity.disputed")
        == [#"{"stravaId": 1, "athleteId": 2, "claimedBy": 1, "activityId": 1}"#])
    #expect(try await world.day.differences() == [])
  }

  @Test func `a proved id is its athlete's, unless they are gone and no race that they entered holds it`() async throws
  {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    let race = try await world.day.course.race()
    _ = try await world.day.course.enter(ann, race)
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let outside = "2031-06-02T10:00:00Z"
    try await world.answer(ann, 1, "found", ClaimDay.outing(1))
    try await world.post(ann, ClaimDay.outing(1))
    try await world.post(ann, ClaimDay.outing(2, at: outside))
    try await world.answer(ann, 1, "found", ClaimDay.outing(1))
    try await world.answer(ann, 2, "found", ClaimDay.outing(2, at: outside))
    for id in [1, 2] as [Int64] {
      try await world.post(bea, ClaimDay.outing(id))
      try await world.answer(bea, id, "found", ClaimDay.outing(id))
    }
    #expect(try await world.activities() == ["1 of 1 pending {}", "2 of 1 pending {}"])
    #expect(try await world.claims() == ["1 of 2 rejected provider", "2 of 2 rejected provider"])
    // Ann leaves, and somebody comes with her account.
    _ = try await world.session.query("SELECT racing.disconnect_strava(\(ann))")
    for id in [1, 2] as [Int64] {
      try await world.post(bea, ClaimDay.outing(id))
      try await world.answer(bea, id, "found", ClaimDay.outing(id, at: id == 2 ? outside : "2031-06-03T10:00:00Z"))
    }
    #expect(
      try await world.activities() == ["1 of 1 pending {}", "(2) of 1 rejected {provider}", "2 of 2 pending {}"])
    #expect(try await world.claims() == ["1 of 2 rejected provider"])
  }

  @Test func `a read displaces nothing and needs no claim where proof is off`() async throws {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    _ = try await world.session.query("SELECT settled.set('racing.proof', 'off')")
    _ = try await world.day.course.outing(bea, stravaId: 1)
    try await world.list(ann, [ClaimDay.outing(1), ClaimDay.outing(2)])
    #expect(try await world.activities() == ["1 of 2 pending {}", "2 of 1 pending {}"])
  }

  @Test func `nothing is kept of somebody who was erased or has disconnected`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    _ = try await world.session.query("SELECT racing.disconnect_strava(\(ann))")
    try await world.list(ann, [ClaimDay.outing(1)])
    try await world.answer(ann, 1, "found", ClaimDay.outing(1))
    _ = try await world.session.query("SELECT racing.take_streams(\(ann), \(ClaimDay.outing(1)))")
    #expect(try await world.activities() == [])
    #expect(try await world.claims() == ["1 of 1 rejected provider"])
  }

  @Test func `an activity whose account nobody knows proves nothing for a connection without an account`()
    async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.session.execute("UPDATE strava.connection SET provider_athlete_id = NULL")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    #expect(try await world.reads(ann) == ["activity 1 2"])
    let rule = try await world.session.query(
      """
      SELECT strava.write_activity(r.id, settled.clock(), 'found', NULL, \(ClaimDay.outing(1)))
      FROM strava.read_request AS r
      """
    ).one(String?.self)
    #expect(rule == nil)
    #expect(try await world.activities() == [])
    #expect(try await world.claims() == ["1 of \(ann) rejected provider"])
  }
}
