import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A moderator")
struct JudgeTests {
  private func decide(_ activity: Int64, _ decision: String, by athlete: Int64?) -> Statement {
    "SELECT racing.review_activity(\(activity), \(decision), 'mod', 'n', \(athlete))"
  }

  @Test func `a moderator decides nothing about an own activity, nor in an own race`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, nil])
    let (own, rival) = (try #require(field.activities[0]), try #require(field.activities[1]))
    let stranger = try await day.course.athlete("Stranger")
    // An entry in another race of that day is no part in this one.
    _ = try await day.course.enter(stranger, try await day.course.race(type: "fastest_1km"))
    for activity in [own, rival] { try await day.course.flag(activity, by: try await day.course.spectators(1)) }
    for decision in ["approve", "disqualify", "request_info"] {
      for (activity, judge) in [(own, 0), (rival, 0), (own, 2)] {
        let refusal = try await day.session.refusal(of: decide(activity, decision, by: field.athletes[judge]))
        #expect(refusal == Refusal("SD403", "own-race"), "\(decision) of \(activity) by \(judge)")
      }
    }
    // Also where there is nothing to decide, after the settlement, and for one who is out of the race.
    try await day.course.review(rival, "disqualify")
    try await day.finish()
    let refusal = try await day.session.refusal(of: decide(own, "disqualify", by: field.athletes[1]))
    #expect(refusal == Refusal("SD403", "own-race"))
    #expect(try await day.session.refusal(of: decide(own, "approve", by: stranger)) == nil)
    #expect(try await day.differences() == [])
  }

  @Test func `a moderator who has judged an entrant's activity does not enter that race`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000])
    let ids = field.activities.compactMap { $0 }
    let (judge, asker) = (try await day.course.athlete("Judge"), try await day.course.athlete("Asker"))
    for activity in ids { try await day.course.flag(activity, by: try await day.course.spectators(1)) }
    #expect(try await day.session.refusal(of: decide(ids[0], "disqualify", by: judge)) == nil)
    #expect(try await day.session.refusal(of: decide(ids[1], "request_info", by: asker)) == nil)
    let entry: Statement = "SELECT racing.enter_race(\(judge), \(field.race))"
    #expect(try await day.session.refusal(of: entry) == Refusal("SD403", "own-race"))
    // The question has taken a verified activity out.
    let asked: Statement = "SELECT racing.enter_race(\(asker), \(field.race))"
    #expect(try await day.session.refusal(of: asked) == Refusal("SD403", "own-race"))
    // One about an activity that was out judges nothing.
    let late = try await day.course.athlete("Late")
    #expect(try await day.session.refusal(of: decide(ids[1], "request_info", by: late)) == nil)
    _ = try await day.course.enter(late, field.race)
    #expect(try await day.session.refusal(of: decide(ids[2], "approve", by: late)) == Refusal("SD403", "own-race"))
    // The entrants may still enter another race of the day, and none of their age enters one of juniors.
    let other = try await day.course.race(type: "fastest_1km")
    let refused: Statement = "SELECT racing.enter_race(\(judge), \(other))"
    #expect(try await day.session.refusal(of: refused) == Refusal("SD403", "own-race"))
    let boy = try await day.course.athlete("Boy", born: "2015-05-05")
    #expect(try await day.session.refusal(of: decide(ids[2], "approve", by: boy)) == nil)
    _ = try await day.course.enter(boy, try await day.course.race(category: "junior_boys"))
  }

  @Test func `a moderator judges no rival who may still enter the race, and judges after the entries are closed`()
    async throws
  {
    let day = try await RaceDay()
    let race = try await day.course.race()
    let (judge, rival) = (try await day.course.athlete("Judge"), try await day.course.athlete("Rival"))
    _ = try await day.course.enter(judge, race)
    try await day.pass(to: "2031-06-03T12:00:00Z")
    let activity = try await day.course.outing(rival, stravaId: 5)
    try await day.validate()
    for decision in ["disqualify", "approve", "request_info"] {
      let refusal = try await day.session.refusal(of: decide(activity, decision, by: judge))
      #expect(refusal == Refusal("SD403", "own-race"), "\(decision)")
    }
    try await day.pass(to: "2031-06-03T20:59:59Z")
    #expect(
      try await day.session.refusal(of: decide(activity, "disqualify", by: judge)) == Refusal("SD403", "own-race"))
    try await day.pass(to: "2031-06-03T21:00:00Z")
    #expect(try await day.session.refusal(of: decide(activity, "disqualify", by: judge)) == nil)
  }

  @Test func `nobody asks about a verified activity without a flag that counts or an open review`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    let judge = try await day.course.athlete("Judge")
    func ask(_ judge: Int64?) async throws -> Refusal? {
      try await day.session.refusal(of: decide(activity, "request_info", by: judge))
    }
    #expect(try await ask(judge) == Refusal("SD409", "status"))
    // The flag of somebody whom the provider does not know.
    try await day.session.script("UPDATE racing.activity SET uncounted_flags = 1 WHERE id = \(activity)")
    #expect(try await ask(judge) == Refusal("SD409", "status"))
    #expect(try await ask(nil) == Refusal("SD409", "status"))
    try await day.course.flag(activity, by: try await day.course.spectators(1))
    #expect(try await ask(judge) == nil)
    #expect(try await ask(nil) == nil, "its review is open")
  }

  @Test func `an own activity outside of all races is an own one all the same`() async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    try await day.pass(to: "2031-06-03T12:00:00Z")
    let activity = try await day.course.outing(athlete, stravaId: 5)
    try await day.validate()
    let refusal = try await day.session.refusal(of: decide(activity, "disqualify", by: athlete))
    #expect(refusal == Refusal("SD403", "own-race"))
    #expect(try await day.session.refusal(of: decide(activity, "disqualify", by: nil)) == nil)
  }

  @Test func `a race that was cancelled is nobody's own`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    try await day.cancel(field.race)
    let rival = try #require(field.activities[1])
    #expect(try await day.session.refusal(of: decide(rival, "disqualify", by: field.athletes[0])) == nil)
  }

  @Test func `the review window ends for flags and for disqualifications, and not for open flags`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000])
    let ids = field.activities.compactMap { $0 }
    let (user, closed) = (try await day.course.spectator(), Refusal("SD409", "window"))
    try await day.finish()
    try await day.pass(to: "2031-07-04T00:59:59.999999Z")
    try await day.course.flag(ids[0], by: [user])
    try await day.pass(to: "2031-07-04T01:00:00Z")
    #expect(try await day.session.refusal(of: decide(ids[1], "disqualify", by: nil)) == closed)
    for activity in ids.suffix(2) {
      let flag: Statement = "SELECT racing.flag_activity(\(activity), \(user), 'other')"
      #expect(try await day.session.refusal(of: flag) == closed)
    }
    #expect(try await day.session.refusal(of: decide(ids[0], "disqualify", by: nil)) == nil)
    try await day.settle()
    // The correction of the day after does not open it again.
    #expect(try await day.course.revisions(field.race) == 2)
    #expect(try await day.session.refusal(of: decide(ids[1], "disqualify", by: nil)) == closed)
    // It is read at the time of the call.
    _ = try await day.session.query("SELECT settled.set('racing.review_window', '31 days')")
    #expect(try await day.session.refusal(of: decide(ids[1], "disqualify", by: nil)) == nil)
    #expect(try await day.differences() == [])
  }

  @Test func `the review window has no end while a race of the activity is open`() async throws {
    let day = try await RaceDay()
    let month = try await day.course.race(
      type: "furthest_distance", duration: "monthly", from: "2031-06-01T00:00:00Z", to: "2031-07-01T00:00:00Z")
    let field = try await day.field([6000, 5000])
    let (first, second) = (try #require(field.activities[0]), try #require(field.activities[1]))
    _ = try await day.course.enter(field.athletes[0], month)
    _ = try await day.session.query("SELECT settled.set('racing.review_window', '1 day')")
    try await day.finish()
    try await day.pass(to: "2031-06-20T00:00:00Z")
    let open = try await day.session.refusal(of: decide(first, "disqualify", by: nil))
    let ended = try await day.session.refusal(of: decide(second, "disqualify", by: nil))
    #expect(open == nil)
    #expect(ended == Refusal("SD409", "window"))
  }
}
