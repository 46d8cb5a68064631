import Engine
import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Source: Racing.docc/Holds.md, "Claims".
@Suite("A race with open claims", .timeLimit(.minutes(3))) struct OpenClaimTests {
  private static let holdEnds = "2031-06-04T03:00:00Z"
  private static let lastOfHold = "2031-06-04T02:59:59.999999Z"
  private static let reviewHoldEnds = "2031-06-07T01:00:00Z"

  /// Four athletes with these scores, and a claim of the one at `index`; the results are due.
  private func claimed(
    _ scores: [Int64?] = [6000, 5000, 4000, 3000], by index: Int = 3
  ) async throws -> (day: RaceDay, field: RaceDay.Field, claim: Int64) {
    let day = try await RaceDay()
    let field = try await day.field(scores)
    let claim = try await day.claim(field.athletes[index])
    try await day.finish()
    return (day, field, claim)
  }

  private func paid(_ day: RaceDay, _ field: RaceDay.Field) async throws -> [Int] {
    try await day.course.payouts(field.race).compactMap { field.entries.firstIndex(of: $0.1) }
  }

  private func held(_ day: RaceDay) async throws -> [Int64] {
    try await day.session.query("SELECT held_activities FROM racing.settlement WHERE revision = 1").one([Int64].self)
  }

  private func waitingFor(_ day: RaceDay, _ race: Int64) async throws -> String {
    try await day.session.query("SELECT coalesce((racing.race(\(race))->'waitingFor')::text, '')").one(String.self)
  }

  @Test func `a race waits two hours for a claim that may win, and is then settled without it`() async throws {
    let (day, field, claim) = try await claimed()
    #expect(
      try await waitingFor(day, field.race)
        == #"{"until": "2031-06-04T03:00:00.000Z", "reason": "provider", "activities": [\#(claim)]}"#)
    try await day.pass(to: Self.lastOfHold)
    try await day.settle()
    #expect(try await day.course.status(field.race) == "ended")
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await held(day) == [claim])
    #expect(try await day.differences() == [])
  }

  @Test func `a claim of one who cannot change a payout delays nobody, and is held all the same`() async throws {
    let (day, field, claim) = try await claimed(by: 0)
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await held(day) == [claim])
    #expect(try await day.differences() == [])
  }

  /// Changes of a claim after which it holds no race.
  static let others = [
    "claimed_at = '2031-06-04T01:00:00Z'", "started_at = '2031-06-04T00:00:00Z'",
    "started_at = '2031-06-02T23:59:59.999999Z'", "rejected_at = settled.clock(), reason = 'provider'",
    "athlete_id = (SELECT max(id) FROM racing.athlete)",
  ]

  @Test(arguments: others)
  func `a claim that came too late, started outside of the window, was rejected or is a stranger's holds nothing`(
    change: String
  ) async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    _ = try await day.course.athlete("Stranger")
    _ = try await day.claim(field.athletes[3])
    try await day.session.script("UPDATE racing.claim SET \(change)")
    try await day.finish()
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await held(day) == [])
  }

  @Test func `the claim of an entry that is out holds nothing`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    _ = try await day.claim(field.athletes[3])
    try await day.remove(field.entries[3])
    try await day.finish()
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await held(day) == [])
    #expect(try await day.differences() == [])
  }

  @Test(arguments: ["0", "30 minutes", "5 hours", "30 days"])
  func `a change of racing.provider_hold counts at once, and no longer than racing.review_hold`(span: String)
    async throws
  {
    let (day, field, _) = try await claimed()
    _ = try await day.session.query("SELECT settled.set('racing.provider_hold', \(span))")
    try await day.settle()
    let until = [
      "30 minutes": "2031-06-04T01:30:00.000Z", "5 hours": "2031-06-04T06:00:00.000Z",
      "30 days": "2031-06-07T01:00:00.000Z",
    ]
    let isSettled = try await day.course.status(field.race) == "settled"
    #expect(isSettled == (span == "0"))
    if let end = until[span] {
      #expect(try await waitingFor(day, field.race).contains(end))
      try await day.pass(to: end)
      try await day.settle()
      #expect(try await day.course.status(field.race) == "settled")
    }
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await day.differences() == [])
  }

  @Test func `a race that would be void waits for claims as long as for reviews, because void is final`() async throws {
    let (day, field, claim) = try await claimed([nil, nil], by: 1)
    for instant in [Self.holdEnds, "2031-06-07T00:59:59.999999Z"] {
      try await day.pass(to: instant)
      try await day.settle()
      #expect(
        try await waitingFor(day, field.race)
          == #"{"until": "2031-06-07T01:00:00.000Z", "reason": "provider", "activities": [\#(claim)]}"#)
    }
    try await day.pass(to: Self.reviewHoldEnds)
    try await day.settle()
    #expect(try await day.session.query("SELECT outcome FROM racing.settlement").one(String.self) == "void")
    #expect(try await held(day) == [claim])
    #expect(try await day.differences() == [])
  }

  @Test func `the wait of a former daemon for a claim ends after a quarter of an hour, and reviews keep theirs`()
    async throws
  {
    let (day, field, claim) = try await claimed()
    /// Waits as a daemon does that knows no claims; returns when the race is checked again.
    func wait(for held: [Int64]) async throws -> String {
      try await day.session.query(
        """
        UPDATE racing.race SET next_check_at = due_at + review_hold, waiting_activities = \(held)
        WHERE id = \(field.race) RETURNING settled.iso(next_check_at)
        """
      ).one(String.self)
    }
    try await day.pass(to: "2031-06-04T02:00:00Z")
    #expect(try await wait(for: [claim]) == "2031-06-04T02:15:00.000Z")
    #expect(try await wait(for: [claim, 1]) == "2031-06-04T02:15:00.000Z")
    #expect(try await wait(for: [1]) == "2031-06-07T01:00:00.000Z")
    // The daemon of this release waits until the end of the claim's hold.
    _ = try await wait(for: [claim])
    try await day.pass(to: "2031-06-04T02:15:00Z")
    try await day.settle()
    #expect(try await waitingFor(day, field.race).contains("2031-06-04T03:00:00.000Z"))
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
  }

  @Test func `a race waits for an unread claim while the limit of reads is used up, at most as long as for reviews`()
    async throws
  {
    let (day, field, claim) = try await claimed()
    try await day.putInLine(field.athletes[3])
    #expect(try await problem(day) == "1 open claim delays races past their due instant")
    // The limit was used up for the last time so many hours after the due instant; the hold is counted from there.
    for (short, until) in [("01:30", "04T03:30"), ("03:29", "04T05:29")] {
      try await day.useUpReads(at: "2031-06-04T\(short):00Z")
      #expect(
        try await problem(day)
          == """
          1 open claim delays races past their due instant; 1 is waiting because the provider's read limit is used up
          """)
      try await day.pass(to: "2031-06-04T\(short == "01:30" ? "03:00" : "03:30"):00Z")
      try await day.settle()
      #expect(
        try await waitingFor(day, field.race)
          == #"{"until": "2031-06-\#(until):00.000Z", "reason": "provider", "activities": [\#(claim)]}"#)
    }
    try await day.useUpReads(at: "2031-06-07T00:30:00Z")
    try await day.pass(to: "2031-06-07T00:59:59Z")
    try await day.settle()
    #expect(try await waitingFor(day, field.race).contains("2031-06-07T01:00:00.000Z"))
    try await day.pass(to: Self.reviewHoldEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await problem(day) == nil)
    #expect(try await day.differences() == [])
  }

  /// Why a claim's read is not in line: others' use of the limit does not lengthen its hold.
  @Test(arguments: [
    "UPDATE strava.read_request SET next_call_at = 'infinity'", "DELETE FROM strava.read_request",
    "UPDATE strava.read_request SET class = 3", "UPDATE racing.claim SET reason = 'scope'",
  ])
  func `a claim that nobody can read is held no longer because others use up the limit`(change: String) async throws {
    let (day, field, _) = try await claimed()
    try await day.putInLine(field.athletes[3])
    try await day.session.script(change)
    try await day.useUpReads(at: "2031-06-04T02:59:00Z")
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
  }

  @Test func `a limit that was used up before the due instant lengthens no hold`() async throws {
    let (day, field, _) = try await claimed()
    try await day.putInLine(field.athletes[3])
    try await day.useUpReads(at: "2031-06-04T00:59:00Z")
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [0, 1, 2])
  }

  @Test func `a race that waits for a review names the claims that matter beside it`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let claim = try await day.claim(field.athletes[2])
    let pending = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "7")
    try await day.finish()
    #expect(
      try await waitingFor(day, field.race)
        == #"{"until": "2031-06-07T01:00:00.000Z", "reason": "review", "activities": [\#(claim), \#(pending)]}"#)
    let shown = try await day.explain(field.race, "hold")
    let expected = JSON(
      text: """
        {"waits": true, "reason": "review", "activities": [\(pending)], "claims": [\(claim)], "held": [\(pending)],
         "heldClaims": [\(claim)], "athletes": [\(field.athletes[2]), \(field.athletes[3])]}
        """)
    #expect(try await day.session.query("SELECT \(shown) @> \(expected)").one(Bool.self), "\(shown.text)")
    try await day.validate()
    try await day.settle()
    #expect(try await waitingFor(day, field.race).contains(#""reason": "provider""#))
    try await day.pass(to: Self.holdEnds)
    try await day.settle()
    #expect(try await paid(day, field) == [3, 0, 1])
    #expect(try await day.explain(field.race, "hold").text.contains(#""held": [\#(claim)]"#))
    #expect(try await day.differences() == [])
  }

  @Test func `an operator's settlement is refused while a claim holds the race, and an override pays without it`()
    async throws
  {
    let (day, field, claim) = try await claimed()
    let preview = try await day.preview(field.race)
    #expect(preview.waitingFor?.reason == "provider" && preview.waitingFor?.activities == [claim])
    do {
      try await day.settle(field.race)
      Issue.record("was settled")
    } catch let error as CommandError {
      #expect(error.rule == "hold" && error.description.contains("is waiting for claims [\(claim)]"), "\(error)")
    }
    try await day.settle(field.race, expecting: preview.inputHash, overriding: true)
    #expect(try await paid(day, field) == [0, 1, 2])
    #expect(try await held(day) == [claim])
    #expect(try await day.differences() == [])
  }

  @Test func `a daemon of a former release waits for a claim as for a review`() async throws {
    let day = try await RaceDay()
    for type in RaceType.allCases {
      let race = try await day.course.race(type: type.rawValue)
      let athlete = try await day.course.athlete()
      _ = try await day.course.enter(athlete, race)
      _ = try await day.claim(athlete, stravaId: race + 100)
      // What a former release's statement reads.
      let (isHeld, score) = try await day.session.query(
        "SELECT status = 'pending' AND is_held AND scored, score FROM racing.qualifying_activity WHERE race_id = \(race)"
      ).one(Bool.self, Int64.self)
      #expect(isHeld && score == (type.higherIsBetter ? .max : 1))
    }
  }

  private func problem(_ day: RaceDay) async throws -> String? {
    try await day.session.query("SELECT racing.claims_problem()").one(String?.self)
  }
}

extension RaceDay {
  /// Opens a claim as an athlete's import does where proof is on, of what `answer` shows with that speed.
  func claim(
    _ athlete: Int64, stravaId: Int64 = 900, at start: String = "2031-06-03T10:00:00Z", maxSpeed: String = "7"
  ) async throws -> Int64 {
    try await session.query(
      """
      INSERT INTO racing.claim (id, athlete_id, strava_id, started_at, claimed_at, until_at, account, content)
      SELECT nextval(pg_get_serial_sequence('racing.activity', 'id')), \(athlete), \(stravaId),
        \(start)::text::timestamptz, settled.clock(), settled.clock() + interval '7 days',
        (SELECT provider_athlete_id FROM strava.connection WHERE athlete_id = \(athlete)),
        \(JSON(text: #"{"activityType": "Kayaking", "movingTime": 1800, "distance": 6000, "maxSpeed": \#(maxSpeed)}"#))
      RETURNING id
      """
    ).one(Int64.self)
  }

  /// Puts a listing of an athlete, who has a token that lasts, in line.
  func putInLine(_ athlete: Int64) async throws {
    try await session.execute(
      """
      UPDATE strava.connection SET status = 'active', expires_at = settled.clock() + interval '30 days'
      WHERE athlete_id = \(athlete)
      """)
    try await session.execute(
      """
      INSERT INTO strava.read_request (athlete_id, kind, class, turn, asked_at, until_at, since, before, page)
      VALUES (\(athlete), 'listing', 1, 1, settled.clock(), settled.clock() + interval '7 days',
        settled.clock() - interval '2 days', settled.clock(), 1)
      """)
  }

  /// A read was wanted at an instant and the limit did not allow it.
  func useUpReads(at instant: String) async throws {
    try await session.execute(
      """
      INSERT INTO settled.call_window (budget, seconds, started_at, short_at)
      SELECT 'strava-reads', 900, t, t FROM CAST(\(instant)::text AS timestamptz) AS t
      ON CONFLICT ON CONSTRAINT call_window_pkey DO UPDATE SET short_at = excluded.short_at
      """)
  }

  /// A member of an explained race.
  func explain(_ race: Int64, _ member: String) async throws -> JSON {
    try await pool.transaction(.repeatableRead, readOnly: true) { transaction in
      let all = try await RaceExplanation.add(to: JSON(text: "{}"), of: race, in: transaction)
      return try await transaction.query("SELECT \(all)->\(member)").one(JSON.self)
    }
  }
}
