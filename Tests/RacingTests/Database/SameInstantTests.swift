import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

/// Entering, importing and flagging against cancelling, settling and disqualifying at the same instant.
@Suite("Simultaneous calls of racing", .serialized, .timeLimit(.minutes(3)))
struct SameInstantTests {
  private static let rounds = 12

  /// Runs all at once, each on a connection of its own; refusals of a rule are answers, not failures.
  private func atOnce(_ pool: Pool, _ calls: [@Sendable (Connection) async throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for call in calls {
        group.addTask {
          try await pool.withConnection { connection in
            do {
              try await call(connection)
            } catch let error as PostgresError {
              guard Refusal(error) != nil else { throw error }
            } catch is CommandError {}
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func statement(_ statement: Statement) -> @Sendable (Connection) async throws -> Void {
    { connection in _ = try await connection.query(statement) }
  }

  @Test func `simultaneous entries and cancellations leave no charge without an entry`() async throws {
    let day = try await RaceDay()
    let owners = day.course.database.pool(.owner, size: 12)
    for round in 0..<Self.rounds {
      let race = try await day.course.race(from: "2031-06-03T00:00:\(10 + round)Z")
      var calls: [@Sendable (Connection) async throws -> Void] = [{ try await day.cancel(race, by: $0) }]
      for _ in 0..<6 {
        calls.append(Self.statement("SELECT racing.enter_race(\(try await day.course.athlete()), \(race))"))
      }
      try await atOnce(owners, calls.shuffled())
      #expect(try await day.course.status(race) == "cancelled")
    }
    let short = "SELECT count(*) FROM racing.wallet WHERE balance_pence <> 10000" as Statement
    #expect(try await day.session.query(short).one(Int64.self) == 0)
    #expect(try await day.differences() == [])
  }

  @Test func `simultaneous cancellations, disqualifications and settlements return no fee twice`() async throws {
    let day = try await RaceDay()
    let owners = day.course.database.pool(.owner, size: 12)
    var fields: [RaceDay.Field] = []
    for round in 0..<Self.rounds {
      var field = RaceDay.Field(race: try await day.course.race(from: "2031-06-03T00:00:\(10 + round)Z"))
      for _ in 0..<4 {
        let athlete = try await day.course.athlete()
        field.athletes.append(athlete)
        field.entries.append(try await day.course.enter(athlete, field.race))
      }
      fields.append(field)
    }
    try await day.pass(to: "2031-06-03T12:00:00Z")
    var stravaId: Int64 = 0
    for index in fields.indices {
      for athlete in fields[index].athletes {
        stravaId += 1
        fields[index].activities.append(
          try await day.course.outing(athlete, stravaId: stravaId, maxSpeed: "\(1 + stravaId % 5)"))
      }
    }
    try await day.validate()
    try await day.pass(to: RaceDay.due)
    for (round, field) in fields.enumerated() {
      let activity = try #require(field.activities[round % 4])
      var calls: [@Sendable (Connection) async throws -> Void] = [
        Self.statement("SELECT racing.review_activity(\(activity), 'disqualify', 'mod', 'n')"),
        { _ in try await day.settle() },
        { _ in try await day.settle() },
      ]
      if round.isMultiple(of: 2) { calls.append({ try await day.cancel(field.race, by: $0) }) }
      try await atOnce(owners, calls.shuffled())
      #expect(try await day.differences() == [])
    }
    try await day.settle()
    for (round, field) in fields.enumerated() {
      let out = round % 4
      #expect(try await day.course.worth(field.athletes[out]) == 10_000)
      let status = try await day.session.query("SELECT status FROM racing.entry WHERE id = \(field.entries[out])")
        .one(String.self)
      #expect(["disqualified", "refunded"].contains(status))
    }
    #expect(try await day.differences() == [])
  }

  @Test func `simultaneous imports, flags and validations count wholly or not at all in a settlement`()
    async throws
  {
    let day = try await RaceDay()
    let owners = day.course.database.pool(.owner, size: 12)
    let users = try await day.course.spectators(3)
    let field = try await day.field([6000, 5000, 4000, 3000])
    let leader = try #require(field.activities[0])
    try await day.pass(to: "2031-06-04T00:59:59.999999Z")
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    let better = JSON(
      text: """
        {"stravaId": 99, "name": "Paddle", "activityType": "Kayaking", "startDate": "2031-06-03T11:00:00Z",
         "elapsedTime": 60, "movingTime": 60, "distance": 60, "maxSpeed": 9, "startLocation": \(place),
         "endLocation": \(place), "polyline": "mock"}
        """)
    var calls: [@Sendable (Connection) async throws -> Void] = users.map {
      Self.statement("SELECT racing.flag_activity(\(leader), \($0), 'other')")
    }
    calls += [
      Self.statement("SELECT racing.import_activity(\(field.athletes[3]), \(better))"),
      { _ in try await day.validate() },
      { _ in try await day.escalate() }, Self.statement("SELECT settled.set_clock('\(raw: RaceDay.due)')"),
      { _ in try await day.finish() },
    ]
    try await atOnce(owners, calls.shuffled())
    try await day.finish()
    try await day.validate()
    try await day.escalate()
    try await day.settle()
    #expect(try await day.differences() == [])
    if try await day.course.status(field.race) == "ended" {
      try await day.course.review(leader, "approve")
      try await day.settle()
    }
    #expect(try await day.course.status(field.race) == "settled")
    #expect(try await day.differences() == [])
  }
}
