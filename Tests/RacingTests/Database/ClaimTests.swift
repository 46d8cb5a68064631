import Postgres
import TestSupport
import TextCoding
import Testing

@testable import Racing

/// Source: Racing.docc/Claims.md.
@Suite("A claim") struct ClaimTests {
  private static func id(_ answer: JSONValue) -> Int64? { answer["id"]?.text.flatMap { Int64($0) } }

  @Test func `an activity that an athlete posts is a claim, which only they see and which counts nothing`() async throws
  {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    let race = try await world.day.course.race()
    for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let answer = try await world.post(ann, ClaimDay.outing(9, speed: "99999", distance: "99999999"))
    #expect(answer["status"]?.text == "pending" && answer["exactStatus"]?.text == "pending")
    #expect(answer["distance"] == .integer(99_999_999) && answer["reasons"] == .array([]))
    #expect(answer["visibility"]?.text == "only_me" && answer["isGPSVerified"] == false)
    try await world.day.validate()
    #expect(try await world.activities() == [])
    #expect(try await world.claims() == ["9 of 1 open"])
    for (viewer, count) in [(ann, 1), (bea, 0)] {
      let own = try await world.session.query("SELECT gateway.racepace_own_activities(\(viewer))").one(JSON.self)
      #expect(try JSONValue(own.text).elements.count == count)
      let all = try await world.session.query("SELECT gateway.racepace_activities(\(viewer))").one(JSON.self)
      #expect(all.text == "[]")
    }
    let id = try #require(Self.id(answer))
    let contract = try await world.session.query(
      "SELECT racing.activities(\(ann)) || racing.activities() || racing.flagged()"
    ).one(JSON.self)
    #expect(contract.text == "[]")
    for call: Statement in ["SELECT racing.activity(\(id))", "SELECT racing.flag_activity(\(id), \(bea), 'other')"] {
      let error = await #expect(throws: PostgresError.self) { _ = try await world.session.query(call) }
      #expect(error?.sqlState == "SD404")
    }
  }

  @Test func `an open claim keeps what was sent first, and its instant`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let first = try await world.post(ann, ClaimDay.outing(9))
    try await world.day.pass(to: "2031-06-03T13:00:00Z")
    #expect(try await world.post(ann, ClaimDay.outing(9, at: "2031-06-02T10:00:00Z", speed: "1")) == first)
    #expect(try await world.session.query("SELECT imports FROM racing.import_day").one(Int64.self) == 1)
    // A rejected one is open again, with the present content and instant, and its id.
    try await world.answer(ann, 9, "missing")
    #expect(try await world.claims() == ["9 of 1 rejected provider"])
    let again = try await world.post(ann, ClaimDay.outing(9, speed: "1"))
    #expect(again["id"] == first["id"] && again["importedAt"]?.text == "2031-06-03T13:00:00Z")
    #expect(again["maxSpeed"] == .integer(1) && again["reasons"] == .array([]))
    #expect(try await world.claims() == ["9 of 1 open"])
  }

  @Test func `a rejected claim shows its reason in the app's list, between activities by their ids`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2, 3, 4] as [Int64] { try await world.post(ann, ClaimDay.outing(id, type: "Rowing")) }
    try await world.answer(ann, 1, "missing")
    try await world.answer(ann, 3, "found", ClaimDay.outing(3))
    try await world.answer(ann, 4, "hidden")
    func list(_ arguments: Statement) async throws -> [String] {
      let call: Statement = "SELECT gateway.racepace_own_activities(\(ann)\(fragment: arguments))"
      let list = try await world.session.query(call).one(JSON.self)
      return try JSONValue(list.text).elements.map {
        let reasons = $0["reasons"]?.elements.compactMap(\.text).joined() ?? ""
        return "\($0["stravaId"]?.integer ?? 0) \($0["exactStatus"]?.text ?? "") \(reasons)"
      }
    }
    let all = ["4 pending scope", "3 pending ", "2 pending ", "1 rejected provider"]
    #expect(try await list("") == all)
    #expect(try await list(", NULL, 2") == Array(all[..<2]))
    let third = try await world.session.query("SELECT id FROM racing.activity").one(Int64.self)
    #expect(try await list(", \(third), 2") == Array(all[2...]))
  }

  /// What is refused is not kept: keys with other values, and how the claim ends.
  private static let refused: [(patch: String, error: String)] = [
    (#"{"stravaId": 0}"#, "SD400 strava-id"), (#"{"stravaId": 1.5}"#, "SD400 strava-id"),
    (#"{"distance": -1}"#, "SD400 distance"), (#"{"elapsedTime": 0}"#, "SD400 elapsed-time"),
    (#"{"startDate": "yesterday"}"#, "SD400 start-date"),
    (#"{"startDate": "2031-06-03T12:00:00Z"}"#, "SD400 start-date"),
    (#"{"streams": {"time": [2, 1], "distance": [1, 2]}}"#, "SD400 streams"),
    (#"{"name": null}"#, "SD400 name"), (#"{"userId": "77"}"#, "SD403 self"),
  ]

  @Test(arguments: refused) func `a claim with a bad value is refused by its key`(patch: String, error: String)
    async throws
  {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let call: Statement =
      "SELECT gateway.racepace_import(\(ann), \(ClaimDay.outing(9))::jsonb || \(JSON(text: patch))::jsonb)"
    #expect(try await outcome { _ = try await world.session.query(call) } == error)
    #expect(try await world.claims() == [])
    #expect(try await world.session.query("SELECT count(*) FROM racing.import_day").one(Int64.self) == 0)
  }

  @Test func `a claim needs a connection that is not revoked, and waits for one that is not active`() async throws {
    let world = try await ClaimDay()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let stranger = try await world.session.query("SELECT racing.create_athlete('Stranger')").one(Int64.self)
    let post: @Sendable (Int64) async throws -> Void = { try await world.post($0, ClaimDay.outing(9)) }
    #expect(try await outcome { try await post(stranger) } == "SD403 not-connected")
    let ann = try await world.athlete()
    for (status, reason) in [("needs_reauth", "grant"), ("connecting", nil), ("active", nil)] as [(String, String?)] {
      try await world.session.execute(
        "UPDATE strava.connection SET status = \(status), reason = \(reason) WHERE athlete_id = \(ann)")
      try await post(ann)
    }
    _ = try await world.session.query("SELECT racing.disconnect_strava(\(ann))")
    #expect(try await outcome { try await post(ann) } == "SD403 not-connected")
    #expect(try await world.claims() == ["9 of 2 rejected provider"])
  }

  @Test func `a claim in an entered race asks for a listing, and any other one for its id`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    let race = try await world.day.course.race()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    // No entry yet.
    try await world.post(ann, ClaimDay.outing(1))
    #expect(try await world.reads(ann) == ["activity 1 2"])
    // Open claims move up with the entry.
    _ = try await world.day.course.enter(ann, race)
    #expect(try await world.reads(ann) == ["activity 1 2", "listing 1"])
    try await world.post(ann, ClaimDay.outing(2))
    #expect(try await world.reads(ann) == ["activity 1 2", "listing 1"])
    try await world.post(ann, ClaimDay.outing(3, at: "2031-06-02T10:00:00Z"))
    #expect(try await world.reads(ann) == ["activity 1 2", "activity 3 1", "listing 1"])
    // The race has ended: the listing is one of those before results.
    try await world.dropReads()
    try await world.day.pass(to: "2031-06-04T00:30:00Z")
    try await world.dropReads()
    try await world.post(ann, ClaimDay.outing(4))
    #expect(try await world.reads(ann) == ["listing 0", "listing 1"])
  }

  @Test func `a claim waits until each race that holds it is settled for certain`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    let until: Statement = "SELECT settled.iso(until_at) FROM racing.claim"
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    #expect(try await world.session.query(until).one(String.self) == "2031-06-10T12:00:00.000Z")
    let month = try await world.day.course.race(
      duration: "monthly", from: "2031-06-01T00:00:00Z", to: "2031-07-01T00:00:00Z")
    _ = try await world.day.course.enter(ann, month)
    #expect(try await world.session.query(until).one(String.self) == "2031-07-04T01:00:00.000Z")
    try await world.answer(ann, 1, "missing")
    try await world.post(ann, ClaimDay.outing(1))
    #expect(try await world.session.query(until).one(String.self) == "2031-07-04T01:00:00.000Z")
  }

  @Test func `a race that waits is checked again when a claim of its athlete is opened, proved or rejected`()
    async throws
  {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    let race = try await world.day.course.race()
    for athlete in [ann, bea] { _ = try await world.day.course.enter(athlete, race) }
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [2, 3, 4] as [Int64] { try await world.post(ann, ClaimDay.outing(id)) }
    try await world.day.pass(to: "2031-06-04T00:30:00Z")
    func checked(_ what: String, _ body: () async throws -> Void) async throws {
      try await world.session.execute("UPDATE racing.race SET next_check_at = due_at + interval '1 hour'")
      try await body()
      let isDue: Statement = "SELECT next_check_at = due_at FROM racing.race"
      #expect(try await world.session.query(isDue).one(Bool.self) == !what.hasPrefix("not"), "\(what)")
    }
    try await checked("opened") { try await world.post(ann, ClaimDay.outing(1)) }
    try await checked("not: repeated") { try await world.post(ann, ClaimDay.outing(1)) }
    try await checked("not: outside") { try await world.post(ann, ClaimDay.outing(8, at: "2031-06-02T10:00:00Z")) }
    try await checked("not: hidden") { try await world.answer(ann, 1, "hidden") }
    try await checked("missing") { try await world.answer(ann, 1, "missing") }
    try await checked("proved") { try await world.answer(ann, 2, "found", ClaimDay.outing(2)) }
    try await checked("proved elsewhere") {
      try await world.answer(ann, 3, "found", ClaimDay.outing(3, at: "2031-06-02T10:00:00Z"))
    }
    try await world.post(bea, ClaimDay.outing(7))
    try await checked("switched off") {
      _ = try await world.session.query("SELECT settled.set('racing.proof', 'off')")
    }
    #expect(try await world.claims().filter { $0.contains("open") } == [])
  }

  @Test func `switching proof off rejects open claims at once, and later posts are imports`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    try await world.post(ann, ClaimDay.outing(1))
    try await world.post(ann, ClaimDay.outing(2))
    try await world.answer(ann, 2, "hidden")
    _ = try await world.session.query("SELECT settled.set('racing.proof', 'off')")
    #expect(try await world.claims() == ["1 of 1 rejected provider", "2 of 1 rejected scope"])
    #expect(try await world.reads(ann) == [])
    try await world.post(ann, ClaimDay.outing(1))
    #expect(try await world.activities() == ["1 of 1 pending {}"])
    // Nothing that stands changes when it is switched on again.
    _ = try await world.session.query("SELECT settled.set('racing.proof', 'on')")
    #expect(try await world.activities() == ["1 of 1 pending {}"])
  }

  @Test func `a claim that comes while proof is switched off is an import, or is rejected`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    let other = try await world.day.course.database.connect()
    // The switch waits for the claim's transaction.
    try await other.execute("BEGIN")
    _ = try await other.query("SELECT gateway.racepace_import(\(ann), \(ClaimDay.outing(1)))")
    async let switched = world.session.execute("SELECT settled.set('racing.proof', 'off')")
    let watcher = try await world.day.course.database.connect()
    try await untilTrue("the switch waits") {
      try await watcher.query(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%racing.proof%'"
      )
      .one(Int64.self) == 1
    }
    try await other.execute("COMMIT")
    _ = try await switched
    #expect(try await world.claims() == ["1 of 1 rejected provider"])
  }

  @Test func `erasing deletes claims, and the night ends old ones`() async throws {
    let world = try await ClaimDay()
    let (ann, bea) = (try await world.athlete(), try await world.athlete("Bea"))
    let own = try await BuiltInSchedules(world.day.course.database, modules: [RacingModule()])
    _ = try await own.owner.query("SELECT settled.set('racing.calendar', 'off')")
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2] as [Int64] { try await world.post(ann, ClaimDay.outing(id)) }
    try await world.post(bea, ClaimDay.outing(3))
    try await world.answer(ann, 1, "missing")
    for (instant, claims) in [
      ("2031-06-10T11:59:59Z", ["1 of 1 rejected provider", "2 of 1 open", "3 of 2 open"]),
      ("2031-06-10T12:00:00Z", ["1 of 1 rejected provider", "2 of 1 rejected provider", "3 of 2 rejected provider"]),
      ("2031-07-03T11:59:59Z", ["1 of 1 rejected provider", "2 of 1 rejected provider", "3 of 2 rejected provider"]),
      ("2031-07-03T12:00:00Z", ["2 of 1 rejected provider", "3 of 2 rejected provider"]),
    ] {
      try await world.day.pass(to: instant)
      #expect(try await own.run("claim-pruning") == "ran")
      #expect(try await world.claims() == claims, "\(instant)")
    }
    try await world.session.execute("UPDATE racing.wallet SET balance_pence = 0")
    let erased = try await world.session.query("SELECT racing.erase_athlete(\(ann)) #> '{erased,claims}'").one(
      JSON.self)
    #expect(erased.text == "1")
    #expect(try await world.claims() == ["3 of 2 rejected provider"])
  }

  @Test func `the number of a claim counts where a sequence stands behind its numbers`() async throws {
    let world = try await ClaimDay()
    let ann = try await world.athlete()
    try await world.day.pass(to: "2031-06-03T12:00:00Z")
    for id in [1, 2, 3] as [Int64] { try await world.post(ann, ClaimDay.outing(id)) }
    let behind: Statement = "SELECT sequence, newest FROM settled.sequences_behind()"
    #expect(try await world.session.query(behind).decode(String.self, Int64.self).isEmpty)
    try await world.session.execute("SELECT setval('racing.activity_id_seq', 2)")
    let found = try await world.session.query(behind).decode(String.self, Int64.self)
    #expect(found.map(\.0) == ["racing.activity_id_seq"])
    #expect(found.map(\.1) == [3])
  }
}
