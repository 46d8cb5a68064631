import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("An overruled decision")
struct OverruleTests {
  private static let refusal = Refusal("SD409", "decided")

  private func entry(_ id: Int64, _ day: RaceDay) async throws -> String {
    try await day.session.query("SELECT status FROM racing.entry WHERE id = \(id)").one(String.self)
  }

  private func decide(_ activity: Int64, _ decision: String) -> Statement {
    "SELECT racing.review_activity(\(activity), \(decision), 'mod', 'n')"
  }

  private func overrule(_ activity: Int64, _ decision: String?) -> Statement {
    "SELECT racing.overrule_review(\(activity), \(decision), 'uid 0', 'n')"
  }

  @Test func `an overruled disqualification gives the winner the prize, and takes it from the others`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let winner = try #require(field.activities[0])
    try await day.finish()
    let rightful = try await day.worths(field.athletes)
    try await day.course.review(winner, "disqualify")
    try await day.settle()
    #expect(try await day.worths(field.athletes) == [10_000, 10_123, 9_959, 9_915])
    // The second takes all money out; the winner has none left to pay the fee.
    try await day.session.execute("SELECT settled.set('racing.prize_rest', '0s')")
    for athlete in field.athletes.prefix(2) {
      let all = try await day.course.balance(athlete)
      _ = try await day.session.query("SELECT racing.withdraw(\(athlete), \(all), 'all')")
    }
    let page = try await day.page()
    #expect(try await day.course.overrule(winner, "approve") == [field.race])
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 3)
    #expect(Set(try await day.page()).isSuperset(of: page))
    #expect(try await day.course.payouts(field.race).map(\.1) == Array(field.entries.prefix(3)))
    #expect(try await day.course.payouts(field.race).map(\.2) == [297, 79, 20])
    #expect(try await day.course.purse(field.athletes[0]) == [197, 10_000, 0])
    #expect(try await day.course.purse(field.athletes[1]) == [0, 10_123, 144])
    #expect(try await day.worths(field.athletes).suffix(2) == rightful.suffix(2))
    #expect(try await day.differences() == [])
    // And out again: the fee goes back with the correction.
    #expect(try await day.course.overrule(winner, "disqualify") == [field.race])
    try await day.settle()
    #expect(try await day.course.purse(field.athletes[0]) == [0, 10_000, 0])
    #expect(try await entry(field.entries[0], day) == "disqualified")
    #expect(try await day.differences() == [])
  }

  @Test func `a disqualification that is overruled before its correction leaves the race as it was`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000])
    let winner = try #require(field.activities[0])
    try await day.finish()
    let before = try await day.worths(field.athletes)
    try await day.course.review(winner, "disqualify")
    try await day.course.overrule(winner, "approve")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(try await day.worths(field.athletes) == before)
    #expect(try await day.differences() == [])
  }

  @Test func `an overruled approval takes the entry out, and the fee goes back`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let winner = try #require(field.activities[0])
    try await day.course.flag(winner, by: try await day.course.spectators(3))
    try await day.course.review(winner, "approve")
    try await day.finish()
    #expect(try await day.course.overrule(winner, "disqualify") == [field.race])
    try await day.settle()
    #expect(try await day.worths(field.athletes) == [10_000, 10_123, 9_959, 9_915])
    #expect(try await day.differences() == [])
  }

  @Test func `an entry of an open race takes part again, and a fee that went back is taken each time`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000], pence: 130)
    let (athlete, winner) = (field.athletes[0], try #require(field.activities[0]))
    for round in 1...3 {
      _ = try await (round == 1 ? day.course.review(winner, "disqualify") : day.course.overrule(winner, "disqualify"))
      try await day.settle()
      // A refund does not repay what is owed.
      #expect(try await day.course.purse(athlete) == (round < 3 ? [130, 0, 0] : [100, 130, 100]))
      let balance = try await day.course.balance(athlete)
      if round == 2 { _ = try await day.session.query("SELECT racing.withdraw(\(athlete), \(balance), 'all')") }
      #expect(try await day.course.overrule(winner, "approve") == [field.race])
      let status = try await entry(field.entries[0], day)
      #expect(status == "entered")
      #expect(try await day.course.purse(athlete) == (round == 1 ? [30, 0, 0] : [0, 130, 100]))
      #expect(try await day.differences() == [], "round \(round)")
      let verified = try await day.session.query("SELECT racing.verify_ledger() -> 'differences' = '[]'").one(Bool.self)
      #expect(verified)
    }
    try await day.finish()
    #expect(try await day.course.payouts(field.race).first?.1 == field.entries[0])
    #expect(try await day.differences() == [])
  }

  @Test func `an entry that was not refunded yet takes part again without a booking`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let winner = try #require(field.activities[0])
    let page = try await day.page()
    try await day.course.review(winner, "disqualify")
    try await day.course.overrule(winner, "approve")
    #expect(try await day.course.worth(field.athletes[0]) == 9900)
    #expect(try await day.page().count == page.count + 2, "two decisions, and no journal")
    try await day.finish()
    #expect(try await day.course.payouts(field.race).first?.1 == field.entries[0])
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [false, true])
  func `another disqualified activity keeps the entry out until it is overruled as well`(isSettled: Bool) async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000])
    let first = try #require(field.activities[0])
    let second = try await day.course.outing(field.athletes[0], stravaId: 80, at: "2031-06-03T11:00:00Z", maxSpeed: "7")
    try await day.validate()
    if isSettled { try await day.finish() }
    for activity in [first, second] { try await day.course.review(activity, "disqualify") }
    try await day.settle()
    #expect(try await day.course.overrule(first, "approve") == (isSettled ? [] : [field.race]))
    try await day.settle()
    let out = try await entry(field.entries[0], day)
    #expect(out == "disqualified")
    #expect(try await day.course.overrule(second, "approve") == [field.race])
    try await day.settle()
    if !isSettled { try await day.finish() }
    let winner = try #require(try await day.course.payouts(field.race).first)
    #expect(winner.1 == field.entries[0])
    #expect(try await day.differences() == [])
  }

  @Test func `an entry that comes back counts what was verified, and later what was pending`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([3000, 5000, 4000])
    let (athlete, spoiler) = (field.athletes[0], try #require(field.activities[0]))
    _ = try await day.course.outing(athlete, stravaId: 80, at: "2031-06-03T11:00:00Z", maxSpeed: "4.5")
    try await day.validate()
    let pending = try await day.course.outing(athlete, stravaId: 81, at: "2031-06-03T11:30:00Z", maxSpeed: "7")
    try await day.course.review(spoiler, "disqualify")
    try await day.finish()
    #expect(try await day.course.payouts(field.race).map(\.1) == [field.entries[1], field.entries[2]])
    try await day.course.overrule(spoiler, "approve")
    try await day.settle()
    #expect(
      try await day.course.payouts(field.race).map(\.1) == [field.entries[1], field.entries[0], field.entries[2]])
    try await day.validate()
    #expect(try await day.course.activityStatus(pending) == "verified")
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1).first == field.entries[0])
    #expect(try await day.differences() == [])
  }

  @Test func `an overruled activity counts for an entry that was made after its disqualification`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([5000, 4000])
    let late = try await day.course.athlete("Late Comer")
    let fast = try await day.course.outing(late, stravaId: 900, maxSpeed: "9")
    _ = try await day.course.outing(late, stravaId: 901, at: "2031-06-03T11:00:00Z", maxSpeed: "3")
    try await day.validate()
    try await day.course.review(fast, "disqualify")
    try await day.pass(to: "2031-06-03T12:00:01Z")
    let entry = try await day.course.enter(late, field.race)
    try await day.finish()
    #expect(try await day.course.payouts(field.race).map(\.1) == field.entries + [entry])
    #expect(try await day.course.overrule(fast, "approve") == [field.race])
    try await day.settle()
    #expect(try await day.course.payouts(field.race).map(\.1) == [entry] + field.entries)
    #expect(try await day.differences() == [])
  }

  @Test func `void and cancelled races stay when a disqualification is overruled`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, nil])
    let activity = try #require(field.activities[0])
    let cancelled = try await day.course.race(type: "furthest_distance")
    _ = try await day.course.enter(field.athletes[0], cancelled)
    try await day.course.review(activity, "disqualify")
    try await day.cancel(cancelled)
    try await day.finish()
    let worths = try await day.worths(field.athletes)
    #expect(try await day.course.overrule(activity, "approve") == [])
    try await day.settle()
    #expect(try await day.worths(field.athletes) == worths && worths == [10_000, 10_000])
    #expect(try await day.course.revisions(field.race) == 1)
    #expect(
      try await day.course.events("race.approval_after_void") == [
        #"{"raceId": \#(field.race), "activityId": \#(activity)}"#
      ])
    #expect(try await day.differences() == [])
  }

  @Test func `moderators do not decide after an overruling decision, even on new flags, until the content changes`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    try await day.course.review(activity, "disqualify")
    try await day.course.overrule(activity, "approve")
    let decisions: Statement = "SELECT count(*) FROM racing.decision"
    let number = try await day.session.query(decisions).one(Int64.self)
    #expect(try await day.course.overrule(activity, "approve") == [])
    #expect(try await day.session.query(decisions).one(Int64.self) == number, "the same again changes nothing")

    try await day.course.flag(activity, by: try await day.course.spectators(3))
    try await day.escalate()
    for decision in ["approve", "disqualify", "request_info"] {
      #expect(try await day.session.refusal(of: decide(activity, decision)) == Self.refusal, "\(decision)")
    }
    try await day.course.overrule(activity, "approve")
    #expect(try await day.course.activityStatus(activity) == "verified")
    #expect(try await day.session.query(decisions).one(Int64.self) == number + 1)

    try await day.pass(to: "2031-06-03T13:00:00Z")
    _ = try await day.course.outing(field.athletes[0], stravaId: 1, maxSpeed: "9")
    try await day.validate()
    try await day.course.flag(activity, by: [field.athletes[1]])
    try await day.course.review(activity, "disqualify")
    #expect(try await day.differences() == [])
  }

  @Test func `a race stays due to bring an entry back when a daemon of a former release clears its mark`() async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let winner = try #require(field.activities[0])
    try await day.finish()
    try await day.course.review(winner, "disqualify")
    try await day.settle()
    try await day.course.overrule(winner, "approve")
    let clear: Statement = "UPDATE racing.race SET correction_due_at = NULL WHERE id = \(field.race)"
    try await day.pool.withConnection { try await $0.execute(clear) }
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 2, "not before ten seconds have passed")
    try await day.pass(to: "2031-06-04T01:00:10Z")
    try await day.settle()
    #expect(try await day.course.payouts(field.race).first?.2 == 297)
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 3)
    #expect(try await day.differences() == [])
  }

  @Test func `an administrator's decision is refused where nothing can be decided, and not by the review window`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000])
    let (first, second) = (try #require(field.activities[0]), try #require(field.activities[1]))
    for decision in ["request_info", nil] {
      #expect(try await day.session.refusal(of: overrule(first, decision)) == Refusal("SD400", "decision"))
    }
    #expect(try await day.session.refusal(of: overrule(-1, "approve")) == Refusal("SD404", "activity"))
    #expect(try await day.session.refusal(of: overrule(first, "approve")) == Refusal("SD409", "status"))
    try await day.finish()
    try await day.pass(to: "2031-09-01T00:00:00Z")
    #expect(try await day.session.refusal(of: decide(second, "disqualify")) == Refusal("SD409", "window"))
    try await day.course.overrule(second, "disqualify")
    try await day.settle()
    #expect(try await day.course.revisions(field.race) == 2)
    try await day.session.execute("SELECT settled.set('racing.prize_rest', '0s')")
    let balance = try await day.course.balance(field.athletes[1])
    _ = try await day.session.query("SELECT racing.withdraw(\(field.athletes[1]), \(balance), 'all')")
    let withdrawal = try await day.session.query(
      "SELECT max(id) FROM racing.posting WHERE account = 'wallet' AND athlete_id = \(field.athletes[1])"
    ).one(Int64.self)
    _ = try await day.session.query("SELECT racing.complete_withdrawal(\(withdrawal))")
    _ = try await day.session.query("SELECT racing.erase_athlete(\(field.athletes[1]))")
    #expect(try await day.session.refusal(of: overrule(second, "approve")) == Refusal("SD409", "erased"))
    #expect(try await day.differences() == [])
  }
}
