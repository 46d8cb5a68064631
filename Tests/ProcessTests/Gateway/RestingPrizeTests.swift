import Postgres
import TestSupport
import Testing
import TextCoding

/// The thief of the last second: what is imported just before the results leaves nobody time to look at it.
@Suite("A prize over HTTP", .timeLimit(.minutes(3))) struct RestingPrizeTests {
  private static let start = "2031-06-03T10:00:00Z"

  private static func outing(_ id: Int, speed: String) -> String {
    let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
    return """
      {"stravaId": \(id), "name": "Paddle", "activityType": "Kayaking", "startDate": "\(start)", "elapsedTime": 1800,
       "movingTime": 1800, "distance": 6000, "maxSpeed": \(speed), "startLocation": \(place), "endLocation": \(place),
       "polyline": "mock"}
      """
  }

  private static func withdraw(
    _ gateway: LiveGateway, _ athlete: Int64, _ pounds: String, key: String
  ) async throws -> LiveGateway.Answer {
    try await gateway.ask(
      "POST", "/wallets/\(athlete)/withdraw", token: gateway.token("--athlete", "\(athlete)"), key: key,
      body: #"{"amount": \#(pounds)}"#)
  }

  private static func wallet(_ gateway: LiveGateway, _ athlete: Int64) async throws -> JSONValue {
    let shown = try await gateway.ask("GET", "/wallets/\(athlete)", token: gateway.token("--athlete", "\(athlete)"))
    return try JSONValue(shown.body)
  }

  @Test func `a prize of an import in the last second rests until moderators have taken it back`() async throws {
    let course = try await Course()
    let race = try await course.race()
    var athletes: [Int64] = []
    for name in ["Thief", "Ann", "Bob", "Cat"] {
      athletes.append(try await course.athlete(name, pence: 100))
      _ = try await course.enter(athletes[athletes.count - 1], race)
    }
    let daemon = try SettledProcess.daemon(course.database, node: "rest", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let gateway = try LiveGateway(course.database)
    let serving = try await gateway.start()
    func post(_ index: Int, speed: String) async throws {
      let sent = try await gateway.ask(
        "POST", "/activities", token: gateway.token("--athlete", "\(athletes[index])"),
        body: Self.outing(index + 1, speed: speed))
      #expect(sent.status == 201, "\(sent.body)")
    }
    try await course.setClock("2031-06-03T12:00:00Z")
    for index in 1...3 { try await post(index, speed: "\(5 - index)") }
    try await course.setClock("2031-06-04T00:59:59Z")
    try await post(0, speed: "11.9")
    try await untilTrue("the validation") {
      try await course.session.query("SELECT count(*) FROM racing.activity WHERE status = 'pending'").one(Int64.self)
        == 0
    }
    try await course.setClock("2031-06-04T01:00:00Z")
    try await course.session.waitUntilSettled([race])

    // The winner asks for the money at once.
    let thief = athletes[0]
    let prize = try await course.balance(thief)
    #expect(prize == 297)
    let early = try await Self.withdraw(gateway, thief, "2.97", key: "run")
    let problem = try JSONValue(early.body)
    #expect(early.status == 402 && problem["rule"]?.text == "resting", "\(early.body)")
    #expect(problem["withdrawablePence"]?.integer == 0 && problem["until"]?.text == "2031-06-07T01:00:00.000Z")
    let shown = try await Self.wallet(gateway, thief)
    #expect(shown["balance"]?.serialized == "2.97" && shown["resting"]?.serialized == "2.97")
    #expect(shown["withdrawable"]?.serialized == "0")

    // A day later a moderator looks at the activity.
    try await course.setClock("2031-06-05T01:00:00Z")
    let leader = try await course.session.query("SELECT id FROM racing.activity WHERE athlete_id = \(thief)")
      .one(Int64.self)
    let decided = try await gateway.ask(
      "POST", "/moderation/review", token: gateway.token("--role", "moderator"),
      body: #"{"activityId": "\#(leader)", "decision": "disqualify", "notes": "a motor"}"#)
    #expect(decided.status == 200, "\(decided.body)")
    try await untilTrue("the correction") {
      try await course.session.query("SELECT count(*) FROM racing.settlement WHERE race_id = \(race)").one(Int64.self)
        == 2
    }
    // Nobody owes anything: the prize was still there.
    let purse = try await course.session.query(
      "SELECT balance_pence, receivable_pence FROM racing.wallet WHERE athlete_id = \(thief)"
    ).one(Int64.self, Int64.self)
    #expect(purse == (100, 0))

    // The true winner gets the money once it has rested.
    let ann = athletes[1]
    let won = try await course.balance(ann)
    let pounds = "\(won / 100).\(won % 100)"
    let waits = try await Self.withdraw(gateway, ann, pounds, key: "won")
    #expect(waits.status == 402 && waits.body.contains("2031-06-08T01:00:00.000Z"), "\(waits.body)")
    try await course.setClock("2031-06-08T01:00:00Z")
    let paid = try await Self.withdraw(gateway, ann, pounds, key: "won")
    #expect(paid.status == 201, "\(paid.body)")
    #expect(try await Self.wallet(gateway, ann)["balance"]?.serialized == "0")
    try await Books.check(course.session)
    serving.terminate()
    #expect(try await serving.exit() == .code(0))
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
