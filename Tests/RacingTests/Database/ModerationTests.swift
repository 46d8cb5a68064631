import Engine
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Racing

@Suite("Flags and reviews")
struct ModerationTests {
  @Test func `flags at the current threshold open one review, with one event`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    let users = try await day.course.spectators(3)
    try await day.course.flag(activity, by: Array(users.prefix(2)))
    try await day.escalate()
    #expect(try await day.course.activityStatus(activity) == "verified")
    try await day.course.flag(activity, by: [users[2]])
    try await day.escalate()
    try await day.escalate()
    #expect(try await day.course.activityStatus(activity) == "under_review")
    let expected = #"{"athleteId": \#(field.athletes[0]), "flagCount": 3, "activityId": \#(activity)}"#
    #expect(try await day.course.events("activity.under_review") == [expected])
    #expect(try await day.session.query("SELECT count(*) FROM racing.review").one(Int64.self) == 1)

    let other = try #require(field.activities[1])
    try await day.course.flag(other, by: [users[0]])
    _ = try await day.session.query("SELECT settled.set('racing.flag_threshold', '1')")
    try await day.escalate()
    #expect(try await day.course.activityStatus(other) == "under_review")
    #expect(try await day.differences() == [])
  }

  @Test func `a reviewed activity that was never validated becomes pending, and is validated then`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try await day.course.outing(field.athletes[0], stravaId: 70, maxSpeed: "7")
    try await day.course.flag(activity, by: try await day.course.spectators(3))
    try await day.escalate()
    #expect(try await day.course.activityStatus(activity) == "under_review")
    try await day.validate()
    try await day.course.review(activity, "approve")
    #expect(try await day.course.activityStatus(activity) == "pending")
    try await day.validate()
    #expect(try await day.course.activityStatus(activity) == "verified")
    #expect(try await day.differences() == [])
  }

  @Test(arguments: [true, false])
  func `a review rises a level at each reminder, each with event and warning, also in one jump`(inOneJump: Bool)
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let activity = try #require(field.activities[0])
    try await day.course.flag(activity, by: try await day.course.spectators(3))
    let warnings = Mutex<[String]>([])
    let context = day.course.database.context(day.pool) { observation in
      if case .warning(_, _, let text) = observation { warnings.withLock { $0.append(text) } }
    }
    func escalate(at instant: String) async throws {
      try await day.pass(to: instant)
      try await JobRunner(EscalationJob(), in: context).runAllDue()
    }
    try await escalate(at: "2031-06-03T12:00:00Z")
    try await day.course.review(activity, "request_info")
    if !inOneJump {
      try await escalate(at: "2031-06-04T11:59:59.999999Z")
      #expect(try await day.course.events("review.escalated").isEmpty)
      try await escalate(at: "2031-06-04T12:00:00Z")
      #expect(try await day.course.events("review.escalated").count == 1)
    }
    try await escalate(at: "2031-06-05T12:00:00Z")
    try await escalate(at: "2031-06-09T12:00:00Z")
    let events = try await day.course.events("review.escalated")
    #expect(events == [1, 2].map { #"{"level": \#($0), "activityId": \#(activity)}"# })
    #expect(warnings.withLock { $0.count } == 2)
    let shown =
      "SELECT (f->>'level')::bigint, f->>'state' FROM jsonb_array_elements(racing.flagged()) AS f" as Statement
    let (level, state) = try await day.session.query(shown).one(Int64.self, String.self)
    #expect(level == 2)
    #expect(state == "info_requested")
  }

  @Test func `an athlete who enters after a disqualification takes part with the other activities`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000])
    let late = try await day.course.athlete("Late Comer")
    let fast = try await day.course.outing(late, stravaId: 900, maxSpeed: "9")
    let slow = try await day.course.outing(late, stravaId: 901, at: "2031-06-03T11:00:00Z", maxSpeed: "4")
    try await day.validate()
    try await day.course.review(fast, "disqualify")
    let entry = try await day.course.enter(late, field.race)
    try await day.finish()
    let counted = try await day.session.query(
      "SELECT counted_activities FROM racing.settlement WHERE race_id = \(field.race)"
    ).one([Int64].self)
    #expect(counted.contains(slow) && !counted.contains(fast))
    let status = try await day.session.query("SELECT status FROM racing.entry WHERE id = \(entry)").one(String.self)
    #expect(status == "completed")
    // One whose entry existed is out with it in any case.
    let (rival, activity) = (field.athletes[0], try #require(field.activities[0]))
    try await day.course.review(activity, "disqualify")
    let outs: Statement = "SELECT disqualified_by FROM racing.entry WHERE athlete_id = \(rival)"
    let spoiled = try await day.session.query(outs).one(Int64.self)
    #expect(spoiled == activity)
    #expect(try await day.differences() == [])
  }

  @Test func `the escalation job is due at the flag, and then at each reminder`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000])
    let due = Statement(raw: EscalationJob().source.nextDue(job: "flag-escalation"))
    func next() async throws -> String? {
      let at: Timestamp? = try await day.session.query(due).one(Timestamp?.self)
      return at?.description
    }
    #expect(try await next() == nil)
    try await day.course.flag(try #require(field.activities[0]), by: try await day.course.spectators(3))
    #expect(try await next() == "2031-06-03T12:00:00.000Z")
    try await day.escalate()
    #expect(try await next() == "2031-06-04T12:00:00.000Z")
    try await day.pass(to: "2031-06-04T12:00:00Z")
    try await day.escalate()
    #expect(try await next() == "2031-06-05T12:00:00.000Z")
    try await day.course.review(try #require(field.activities[0]), "approve")
    #expect(try await next() == nil)
  }

  @Test func `flagged activities are listed under review first, oldest first, then by number of flags`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let ids = field.activities.compactMap { $0 }
    let users = try await day.course.spectators(3)
    try await day.course.flag(ids[0], by: [users[0]])
    try await day.course.flag(ids[1], by: [users[0], users[1]])
    try await day.course.flag(ids[2], by: users)
    try await day.escalate()
    try await day.pass(to: "2031-06-03T12:30:00Z")
    try await day.course.flag(ids[3], by: users)
    try await day.escalate()
    let listed =
      "SELECT (f->'activity'->>'id')::bigint FROM jsonb_array_elements(racing.flagged()) WITH ORDINALITY AS t(f, n) ORDER BY n"
      as Statement
    #expect(try await day.session.query(listed).decode(Int64.self) == [ids[2], ids[3], ids[1], ids[0]])
  }

  @Test(.timeLimit(.minutes(1)))
  func `one of ten concurrent reviewers decides, and the others get that reviewer's name`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let activity = try #require(field.activities[0])
    try await day.course.flag(activity, by: try await day.course.spectators(3))
    try await day.escalate()
    let pool = day.course.database.pool(.app, size: 10)
    let answers = try await withThrowingTaskGroup(of: (String, Refusal?, String).self) { group in
      for index in 0..<10 {
        let decision = index % 2 == 0 ? "approve" : "disqualify"
        group.addTask {
          try await pool.withConnection { connection in
            do {
              _ = try await connection.query(
                "SELECT racing.review_activity(\(activity), \(decision), \("reviewer \(index)"), 'because')")
              return ("reviewer \(index)", nil, "")
            } catch let error as PostgresError {
              return ("reviewer \(index)", Refusal(error), error.detail ?? "")
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let winners = answers.filter { $0.1 == nil && $0.2.isEmpty }
    #expect(winners.count == 1)
    for (_, refusal, detail) in answers where !detail.isEmpty {
      #expect(refusal == Refusal("SD409", "decided"))
      #expect(detail.contains("\"by\": \"\(winners.first?.0 ?? "?")\""))
    }
    #expect(try await day.session.query("SELECT count(*) FROM racing.decision").one(Int64.self) == 1)
    #expect(try await day.course.events("review.decided").count == 1)
    try await day.finish()
    #expect(try await day.course.status(field.race) == "settled")
    #expect(try await day.differences() == [])
  }

  @Test func `an approved review lets a rejected activity count`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([nil, 4000, 3000])
    let activity = try await day.course.outing(field.athletes[0], stravaId: 77, maxSpeed: "9", type: "Rowing")
    try await day.course.flag(activity, by: try await day.course.spectators(1))
    try await day.validate()
    #expect(try await day.course.activityStatus(activity) == "rejected")
    try await day.course.review(activity, "request_info")
    #expect(try await day.course.activityStatus(activity) == "rejected")
    try await day.course.review(activity, "approve")
    #expect(try await day.course.activityStatus(activity) == "verified")
    try await day.validate()
    try await day.finish()
    #expect(try await day.course.payouts(field.race).map(\.1) == field.entries)
    #expect(try await day.differences() == [])
  }
}
