import Postgres
import TestSupport
import Testing

@testable import Racing

/// Every refusal of Racing.docc/Racing.md, read back by SQLSTATE and rule.
@Suite("Refusals of racing", .serialized)
struct RefusalTests {
  private func expect(
    _ day: RaceDay, _ state: String, _ rule: String, _ statement: Statement,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let refusal = try await day.session.refusal(of: statement)
    #expect(refusal == Refusal(state, rule), "\(statement.sql)", sourceLocation: sourceLocation)
  }

  @Test func `entries are refused in the order of the rules`() async throws {
    let day = try await RaceDay()
    let course = day.course
    let race = try await course.race()
    let (women, masters) = (
      try await course.race(category: "women_u23"), try await course.race(category: "masters_men")
    )
    let (junior, open) = (try await course.race(category: "junior_boys"), try await course.race(type: "fastest_1km"))
    let man = try await course.athlete()
    let poor = try await course.athlete(pence: 99)
    let spectator = try await course.spectator()
    let conflict = try await day.session.query("SELECT racing.create_athlete('New')").one(Int64.self)
    let nobody = try await course.athlete(born: nil, gender: nil)
    try await expect(day, "SD400", "athlete-id", "SELECT racing.enter_race(NULL, \(race))")
    try await expect(day, "SD400", "race-id", "SELECT racing.enter_race(\(man), NULL)")
    try await expect(day, "SD404", "race", "SELECT racing.enter_race(-1, -1)")
    try await expect(day, "SD404", "athlete", "SELECT racing.enter_race(-1, \(race))")
    try await expect(day, "SD403", "spectator", "SELECT racing.enter_race(\(spectator), \(race))")
    try await expect(day, "SD403", "not-connected", "SELECT racing.enter_race(\(conflict), \(race))")
    try await expect(day, "SD403", "profile", "SELECT racing.enter_race(\(nobody), \(race))")
    for closed in [women, junior] {
      try await expect(day, "SD403", "category", "SELECT racing.enter_race(\(man), \(closed))")
    }
    _ = try await course.enter(man, masters)
    _ = try await course.enter(man, race)
    try await expect(day, "SD409", "already-entered", "SELECT racing.enter_race(\(man), \(race))")
    try await expect(day, "SD402", "funds", "SELECT racing.enter_race(\(poor), \(race))")
    try await day.pass(to: "2031-06-03T21:00:00Z")
    try await expect(day, "SD409", "cutoff", "SELECT racing.enter_race(\(man), \(open))")
    try await day.cancel(open)
    try await expect(day, "SD409", "status", "SELECT racing.enter_race(\(man), \(open))")
    _ = try await day.session.query("SELECT racing.disconnect_strava(\(poor))")
    try await expect(day, "SD403", "not-connected", "SELECT racing.enter_race(\(poor), \(race))")
  }

  @Test func `a disqualified athlete cannot enter the race again`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    try await day.settle()
    try await expect(
      day, "SD409", "already-entered", "SELECT racing.enter_race(\(field.athletes[0]), \(field.race))")
  }

  @Test func `invalid imports are refused with their rule`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let (athlete, other) = (field.athletes[0], field.athletes[1])
    let spectator = try await day.course.spectator()
    func outing(_ stravaId: Int, _ start: String = "2031-06-03T10:00:00Z", name: String = "New") -> JSON {
      JSON(
        text: """
          {"stravaId": \(stravaId), "name": "\(name)", "activityType": "Kayaking", "startDate": "\(start)",
           "elapsedTime": 10, "movingTime": 10, "distance": 10}
          """)
    }
    try await expect(day, "SD404", "athlete", "SELECT racing.import_activity(-1, \(outing(50)))")
    try await expect(day, "SD403", "spectator", "SELECT racing.import_activity(\(spectator), \(outing(50)))")
    try await expect(day, "SD409", "strava-id", "SELECT racing.import_activity(\(other), \(outing(1)))")
    let unknown = JSON(text: #"{"speed": 1}"#)
    try await expect(day, "SD400", "key", "SELECT racing.import_activity(\(athlete), \(unknown))")
    try await day.course.flag(try #require(field.activities[0]), by: [other])
    try await day.course.review(try #require(field.activities[0]), "request_info")
    try await expect(day, "SD409", "frozen", "SELECT racing.import_activity(\(athlete), \(outing(1)))")
    try await day.course.review(try #require(field.activities[0]), "disqualify")
    try await expect(day, "SD409", "frozen", "SELECT racing.import_activity(\(athlete), \(outing(1)))")
    try await day.pass(to: RaceDay.due)
    try await expect(day, "SD409", "frozen", "SELECT racing.import_activity(\(other), \(outing(2)))")
    let moved = outing(2, "2031-06-02T10:00:00Z")
    try await expect(day, "SD409", "frozen", "SELECT racing.import_activity(\(other), \(moved))")
  }

  @Test func `flags are refused for a wrong user, activity or time`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let (first, second) = (try #require(field.activities[0]), try #require(field.activities[1]))
    let user = try await day.course.spectator()
    try await expect(day, "SD400", "activity-id", "SELECT racing.flag_activity(NULL, \(user), 'other')")
    try await expect(day, "SD400", "flagged-by", "SELECT racing.flag_activity(\(first), NULL, 'other')")
    try await expect(day, "SD400", "reason", "SELECT racing.flag_activity(\(first), \(user), NULL)")
    try await expect(day, "SD400", "reason", "SELECT racing.flag_activity(\(first), \(user), 'ugly')")
    try await expect(
      day, "SD400", "notes", "SELECT racing.flag_activity(\(first), \(user), 'other', repeat('x', 10001))")
    try await expect(day, "SD404", "activity", "SELECT racing.flag_activity(-1, \(user), 'other')")
    try await expect(day, "SD404", "athlete", "SELECT racing.flag_activity(\(first), -1, 'other')")
    let own = "SELECT racing.flag_activity(\(first), \(field.athletes[0]), 'other')" as Statement
    try await expect(day, "SD403", "own-activity", own)
    try await day.course.flag(first, by: [user])
    try await expect(day, "SD409", "already-flagged", "SELECT racing.flag_activity(\(first), \(user), 'other')")
    try await day.course.review(first, "approve")
    try await expect(day, "SD409", "already-flagged", "SELECT racing.flag_activity(\(first), \(user), 'other')")
    let bad = try await day.course.outing(field.athletes[0], stravaId: 60, type: "Running")
    try await day.validate()
    try await expect(day, "SD409", "status", "SELECT racing.flag_activity(\(bad), \(user), 'other')")
    try await day.course.review(second, "disqualify")
    try await expect(day, "SD409", "status", "SELECT racing.flag_activity(\(second), \(user), 'other')")
    // New content may be flagged by the same user again.
    _ = try await day.course.outing(field.athletes[0], stravaId: 1, maxSpeed: "5.5")
    #expect(try await day.session.refusal(of: "SELECT racing.flag_activity(\(first), \(user), 'other')") == nil)
    #expect(try await day.differences() == [])
  }

  @Test func `decisions are refused without an open review or after a decision`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let (first, second) = (try #require(field.activities[0]), try #require(field.activities[1]))
    func decide(_ activity: Int64, _ decision: String?, by: String? = "mod", _ note: String? = "n") -> Statement {
      "SELECT racing.review_activity(\(activity), \(decision), \(by), \(note))"
    }
    try await expect(day, "SD400", "decision", decide(first, nil))
    try await expect(day, "SD400", "decision", decide(first, "maybe"))
    try await expect(day, "SD400", "reviewer", decide(first, "approve", by: nil))
    try await expect(day, "SD400", "note", decide(first, "approve", nil))
    try await expect(day, "SD404", "activity", decide(-1, "approve"))
    try await expect(day, "SD409", "status", decide(first, "approve"))
    try await expect(day, "SD409", "status", decide(first, "request_info"))
    try await day.course.flag(first, by: try await day.course.spectators(1))
    try await day.course.review(first, "approve", by: "ann")
    for decision in ["approve", "disqualify", "request_info"] {
      try await expect(day, "SD409", "decided", decide(first, decision))
    }
    try await day.course.review(second, "disqualify", by: "bob")
    for decision in ["approve", "disqualify", "request_info"] {
      try await expect(day, "SD409", "decided", decide(second, decision))
    }
    let pending = try await day.course.outing(field.athletes[0], stravaId: 61)
    try await expect(day, "SD409", "status", decide(pending, "disqualify"))
    #expect(try await day.differences() == [])
  }

  @Test func `payments are refused without funds, for other athletes, and on repetition`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete(pence: 1000)
    let spectator = try await day.course.spectator()
    for call in ["deposit", "withdraw"] {
      func ask(_ who: Int64?, _ pence: Int64?, _ key: String?) -> Statement {
        "SELECT racing.\(raw: call)(\(who), \(pence), \(key))"
      }
      try await expect(day, "SD400", "athlete-id", ask(nil, 1, "a"))
      for pence in [nil, 0, -1, 100_000_001] as [Int64?] {
        try await expect(day, "SD400", "amount-pence", ask(athlete, pence, "a"))
      }
      try await expect(day, "SD400", "idempotency-key", ask(athlete, 1, nil))
      try await expect(day, "SD400", "idempotency-key", ask(athlete, 1, ""))
      try await expect(day, "SD404", "athlete", ask(-1, 1, "a"))
      try await expect(day, "SD409", "idempotency", ask(athlete, 999, "start"))
    }
    try await expect(day, "SD403", "spectator", "SELECT racing.deposit(\(spectator), 1, 'a')")
    try await expect(day, "SD402", "funds", "SELECT racing.withdraw(\(spectator), 1, 'a')")
    try await expect(day, "SD403", "spectator", "SELECT racing.connect_strava(\(spectator), 'c', 'read')")
    try await expect(day, "SD402", "funds", "SELECT racing.withdraw(\(athlete), 1001, 'a')")
    let deposit = "SELECT (racing.transactions(\(athlete))->0->>'id')::bigint" as Statement
    let id = try await day.session.query(deposit).one(Int64.self)
    let withdrawal = try await day.session.query(
      "SELECT (racing.withdraw(\(athlete), 300, 'w')->>'id')::bigint"
    ).one(Int64.self)
    for wrong in [-1, id] {
      try await expect(day, "SD404", "withdrawal", "SELECT racing.complete_withdrawal(\(wrong))")
      try await expect(day, "SD404", "withdrawal", "SELECT racing.fail_withdrawal(\(wrong), 'x')")
    }
    for wrong in [-1, withdrawal] {
      try await expect(day, "SD404", "deposit", "SELECT racing.reverse_deposit(\(wrong), 'x')")
    }
    try await expect(day, "SD400", "reason", "SELECT racing.fail_withdrawal(\(withdrawal), NULL)")
    try await expect(day, "SD400", "reason", "SELECT racing.reverse_deposit(\(id), NULL)")
    _ = try await day.session.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    try await expect(day, "SD409", "status", "SELECT racing.fail_withdrawal(\(withdrawal), 'x')")
    _ = try await day.session.query("SELECT racing.reverse_deposit(\(id), 'stolen card')")
    try await expect(day, "SD409", "receivable", "SELECT racing.withdraw(\(athlete), 1, 'b')")
    try await day.session.script(
      """
      BEGIN; UPDATE racing.wallet SET balance_pence = 1000000000000 WHERE athlete_id = \(athlete);
      """)
    try await expect(day, "SD409", "wallet-limit", "SELECT racing.deposit(\(athlete), 1, 'c')")
    try await day.session.script("ROLLBACK")
    #expect(try await day.differences() == [])
  }

  @Test func `writes of racing are refused in other isolation levels than READ COMMITTED`() async throws {
    let day = try await RaceDay()
    for call in [
      "racing.flag_activity(1, 1, 'other')", "racing.review_activity(1, 'approve', 'm', 'n')",
      "racing.withdraw(1, 1, 'k')", "racing.complete_withdrawal(1)", "racing.fail_withdrawal(1, 'r')",
      "racing.reverse_deposit(1, 'r')",
    ] {
      await #expect(throws: (any Error).self) {
        try await day.session.transaction(.repeatableRead) { transaction in
          let refusal = try await transaction.refusal(of: "SELECT \(raw: call)")
          #expect(refusal == Refusal("SD400", "isolation"), "\(call)")
        }
      }
    }
  }
}
