import Operations
import ControlAPI
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A quarantined or dropped item")
struct LeftOutTests {
  /// As the engine and `drop` leave it; `state` is what is set besides.
  private func leaveOut(_ key: Int64, of job: String, _ state: String, _ session: Connection) async throws {
    try await session.execute(
      """
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, error)
      VALUES (\(job), \(String(key)), 5, clock_timestamp(), clock_timestamp(), clock_timestamp(), 'broken')
      """)
    try await session.execute("UPDATE settled.failure SET \(raw: state)")
  }

  private static let states = ["quarantined = true", "dropped_at = clock_timestamp(), dropped_reason = 'hopeless'"]

  @Test(arguments: states)
  func `a quarantined or dropped activity is validated again with new content`(state: String) async throws {
    let day = try await RaceDay()
    let athlete = try await day.course.athlete()
    try await day.pass(to: "2031-06-03T12:00:00Z")
    let activity = try await day.course.outing(athlete, stravaId: 1)
    try await leaveOut(activity, of: "activity-validation", state, day.session)
    try await day.validate()
    #expect(try await day.course.activityStatus(activity) == "pending")
    _ = try await day.course.outing(athlete, stravaId: 1)
    try await day.validate()
    #expect(try await day.course.activityStatus(activity) == "pending", "the same content changes nothing")
    _ = try await day.course.outing(athlete, stravaId: 1, maxSpeed: "5")
    try await day.validate()
    #expect(try await day.course.activityStatus(activity) == "verified")
    #expect(try await day.session.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
  }

  @Test(arguments: states)
  func `a quarantined or dropped activity comes under review with a new flag`(state: String) async throws {
    let day = try await RaceDay()
    try await day.pass(to: "2031-06-03T12:00:00Z")
    let activity = try await day.course.outing(try await day.course.athlete(), stravaId: 1)
    try await day.validate()
    let users = try await day.course.spectators(4)
    try await day.course.flag(activity, by: Array(users.prefix(3)))
    try await leaveOut(activity, of: "flag-escalation", state, day.session)
    try await day.escalate()
    #expect(try await day.course.activityStatus(activity) == "verified")
    try await day.course.flag(activity, by: [users[3]])
    try await day.escalate()
    #expect(try await day.course.activityStatus(activity) == "under_review")
    #expect(try await day.session.query("SELECT count(*) FROM settled.failure").one(Int64.self) == 0)
  }

  @Test(arguments: ["race-lifecycle", "race-settlement"])
  func `a quarantined race cannot be dropped, because it holds money`(job: String) async throws {
    let day = try await RaceDay()
    let race = try await day.course.race()
    try await leaveOut(race, of: job, "quarantined = true", day.session)
    let commands = FailureHandlers(moneyJobs: RacingModule().moneyJobs).commands
    let drop = try #require(commands.first { $0.name == "failure.drop" })
    let id = try await day.session.query("SELECT id FROM settled.failure").one(Int64.self)
    let call = CommandCall(
      caller: AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .admin), requestId: nil,
      values: ["id": .integer(id), "reason": .text("hopeless")])
    do {
      _ = try await CommandDispatcher(commands, pool: day.pool, node: "test").run(drop, call)
      Issue.record("it was dropped")
    } catch {
      #expect((error as? CommandError)?.rule == "money", "\(error)")
    }
  }

  @Test func `doctor reports an overdue race at any status`() async throws {
    let day = try await RaceDay()
    let check = try #require(RacingChecks.checks.first { $0.name == "overdue races" })
    func isOk(_ change: String) async throws -> Bool {
      try await day.session.transaction(commit: false) { transaction in
        try await transaction.execute("\(raw: change)")
        return try await check.run(transaction).isOk
      }
    }
    let field = try await day.field([6000, 5000, 4000])
    #expect(try await isOk("SELECT"))
    #expect(
      try await isOk("UPDATE racing.race SET status = 'upcoming', starts_at = settled.clock() - interval '9 minutes'"))
    #expect(try await !isOk("UPDATE racing.race SET status = 'upcoming'"))
    let late = "settled.clock() - interval '11 minutes'"
    #expect(try await !isOk("UPDATE racing.race SET ends_at = \(late)"))
    #expect(try await !isOk("UPDATE racing.race SET correction_due_at = \(late)"))
    try await day.finish()
    #expect(try await day.course.status(field.race) == "settled")
    #expect(try await isOk("SELECT"))
    #expect(try await !isOk("UPDATE racing.race SET correction_due_at = \(late)"))
  }
}
