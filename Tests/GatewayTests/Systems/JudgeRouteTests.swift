import Postgres
import TestSupport
import Testing

@testable import Gateway

/// Attacks of moderators who race, through the real gateway.
@Suite("A moderator who races, over HTTP", .timeLimit(.minutes(2))) struct JudgeRouteTests {
  private struct Field {
    let race: Int64
    /// The moderator first, then a rival.
    var athletes: [Int64] = []
    var activities: [Int64] = []
  }

  /// Two athletes in one race, each with a verified activity of it.
  private static func field(_ world: SystemWorld) async throws -> Field {
    let course = Course(database: world.settled, session: world.owner)
    var field = Field(race: try await course.race())
    for name in ["Mo", "Rival"] {
      let athlete = try await course.athlete(name)
      _ = try await course.enter(athlete, field.race)
      field.athletes.append(athlete)
    }
    try await world.clock("2031-06-03T12:00:00Z")
    for athlete in field.athletes { field.activities.append(try await course.outing(athlete, stravaId: athlete)) }
    try await world.owner.execute("UPDATE racing.activity SET status = 'verified', scored = true")
    return field
  }

  private static func review(
    _ world: SystemWorld, _ activity: Int64, _ decision: String, token: String
  ) async throws -> Reply {
    try await world.call(
      "POST /moderation/review", token: token, body: #"{"activityId":"\#(activity)","decision":"\#(decision)"}"#)
  }

  @Test func `a moderator judges neither the own activity nor a rival's, and a neutral one does`() async throws {
    try await SystemWorld.run { world in
      let field = try await Self.field(world)
      let flagger = try await world.token(athlete: try await world.athlete("Flagger"))
      for activity in field.activities {
        _ = try await world.json(
          "POST /activities/\(activity)/flag", token: flagger, body: #"{"reason":"other"}"#, status: 201)
      }
      let mo = try await world.token(athlete: field.athletes[0], roles: [.moderator])
      for activity in field.activities {
        for decision in ["approve", "disqualify", "requireMoreInfo"] {
          let refused = try await Self.review(world, activity, decision, token: mo)
          #expect(refused.status == 403 && refused.has(#""rule":"own-race""#), "\(decision) of \(activity): \(refused)")
        }
      }
      #expect(try await world.number("SELECT count(*) FROM racing.decision") == 0)
      let neutral = try await world.token(athlete: try await world.athlete("Neutral"), roles: [.moderator])
      let decided = try await Self.review(world, field.activities[0], "approve", token: neutral)
      #expect(decided.status == 200, "\(decided)")
    }
  }

  @Test func `a moderator's account gives its athlete away also to a gateway of a former release`() async throws {
    try await SystemWorld.run { world in
      let field = try await Self.field(world)
      let account = try await world.account("mo@example.org", username: "mod", athlete: field.athletes[0])
      try await world.owner.execute("UPDATE accounts.account SET roles = '{moderator}'")
      let token = try DocumentJSON(try await world.logIn("mod").body)["token"].plain
      let refused = try await Self.review(world, field.activities[1], "disqualify", token: token)
      #expect(refused.status == 403 && refused.has(#""rule":"own-race""#), "\(refused)")
      let former = try await world.settled.connect(.gateway)
      let body = JSON(text: #"{"activityId": "\#(field.activities[1])", "decision": "disqualify"}"#)
      let call: Statement = "SELECT gateway.racepace_review(\("account \(account)"), \(body))"
      let error = await #expect(throws: PostgresError.self) { _ = try await former.query(call) }
      #expect(error.flatMap(Refusal.init)?.description == "SD403 own-race")
      await former.close()
    }
  }

  @Test func `nobody disqualifies or flags an activity of a settled race after the review window`() async throws {
    try await SystemWorld.run { world in
      let field = try await Self.field(world)
      try await world.owner.script(
        """
        UPDATE racing.race SET status = 'settled';
        UPDATE racing.entry SET status = 'completed';
        INSERT INTO racing.settlement (race_id, revision, outcome, settled_at, fees_pence, platform_fee_pence,
          prize_pool_pence, input_hash, counted_activities, held_activities)
        VALUES (\(field.race), 1, 'paid', '2031-06-04T01:00:00Z', 200, 2, 198, '', '{}', '{}');
        """)
      let neutral = try await world.token(username: "mod", roles: [.moderator])
      let user = try await world.token(athlete: try await world.athlete("User"))
      let flag = "POST /activities/\(field.activities[1])/flag"
      try await world.clock("2031-07-04T01:00:00Z")
      let late = try await Self.review(world, field.activities[0], "disqualify", token: neutral)
      #expect(late.status == 409 && late.has(#""rule":"window""#), "\(late)")
      let flagged = try await world.call(flag, token: user, body: #"{"reason":"other"}"#)
      #expect(flagged.status == 409 && flagged.has(#""rule":"window""#), "\(flagged)")
      try await world.clock("2031-07-04T00:59:59Z")
      #expect(try await world.call(flag, token: user, body: #"{"reason":"other"}"#).status == 201)
      #expect(try await Self.review(world, field.activities[0], "disqualify", token: neutral).status == 200)
    }
  }
}
