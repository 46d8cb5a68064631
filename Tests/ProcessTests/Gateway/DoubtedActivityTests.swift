import Foundation
import Postgres
import TestSupport
import Testing
import TextCoding

/// What a racer may do over HTTP to win with what no canoe can do, and what others see.
@Suite("Activities in doubt, over HTTP", .timeLimit(.minutes(5))) struct DoubtedActivityTests {
  @Test func `an activity of the future, or one that is too fast, leads no race`() async throws {
    let regatta = try await HTTPRegatta()
    try await regatta.setClock(after: 160)
    let (ann, race) = (regatta.racers[0], regatta.race)
    // The last one ends ten minutes and a second from now.
    for start in ["2031-03-07T14:00:00Z", "2037-01-01T14:00:00Z", "2031-03-05T14:20:01Z"] {
      let refused = try await regatta.ask("POST", "/activities", ann, ann.outing(1, at: start))
      #expect(refused.status == 400 && refused.body.contains(#""rule":"start-date""#), "\(refused)")
    }
    #expect(try await regatta.ask("POST", "/activities", ann, ann.outing(1, at: "2031-03-05T14:20:00Z")).status == 201)
    try await regatta.untilValidated()
    #expect(try await regatta.leaders() == ["Ann"])

    // A bicycle's file.
    let eve = regatta.racers[1]
    let imported = try await regatta.ask("POST", "/activities", eve, eve.outing(2, maxSpeed: "21.5"))
    #expect(imported.status == 201, "\(imported)")
    try await regatta.untilValidated()
    #expect(try await regatta.statuses(eve) == ["under_review"])
    #expect(try await regatta.leaders() == ["Ann"])
    #expect(try await regatta.feed().map { $0["userId"]?.text } == ["\(ann.id)"])
    let flagged = try JSONValue(try await regatta.ask("GET", "/moderation/flagged", nil).body).elements
    #expect(flagged.count == 1 && flagged.first?["reasons"] == ["suspicious_speed"])
    #expect(flagged.first?["exactReasons"] == ["implausible"])
    let activity = try #require(flagged.first?["id"]?.text)
    let shown = try JSONValue(try await regatta.daemon.settlectl("review", "show", activity, "--json").output)
    #expect(shown["reasons"] == ["implausible"] && shown["state"] == "open")
    let bound = try #require(shown["bounds"]?.elements.first)
    #expect(bound["score"] == "top_speed" && bound["value"] == 21_500 && bound["bound"] == 12_000)

    let approved = try await regatta.ask(
      "POST", "/moderation/review", nil, #"{"activityId": "\#(activity)", "decision": "approve"}"#)
    #expect(approved.status == 200, "\(approved)")
    #expect(try await regatta.leaders() == ["Eve", "Ann"])
    // The same content under another name is not reviewed again; other content is.
    for (body, status) in [
      (eve.outing(2, maxSpeed: "21.50", name: "Renamed"), "verified"),
      (eve.outing(2, maxSpeed: "21.6"), "under_review"),
    ] {
      #expect(try await regatta.ask("POST", "/activities", eve, body).status == 201)
      try await regatta.untilValidated()
      #expect(try await regatta.statuses(eve) == [status], "\(body)")
    }

    // Imported before its athlete enters.
    let kim = regatta.racers[2]
    #expect(try await regatta.ask("POST", "/activities", kim, kim.outing(3, maxSpeed: "14")).status == 201)
    try await regatta.untilValidated()
    #expect(try await regatta.statuses(kim) == ["verified"])
    #expect(try await regatta.ask("POST", "/races/\(race)/enter", kim).status == 201)
    #expect(try await regatta.statuses(kim) == ["under_review"])
    #expect(try await regatta.leaders() == ["Ann"])
    try await regatta.end()
  }

  @Test func `an activity that the provider calls private is in nobody else's list, and counts`() async throws {
    let regatta = try await HTTPRegatta()
    let words = [
      #""visibility": "everyone", "private": false"#, #""visibility": "only_me", "private": true"#,
    ]
    for (racer, word) in zip(regatta.racers, words) { try await regatta.plant(racer, word) }
    try await regatta.owner.execute("SELECT settled.set('strava.import', 'on')")
    try await regatta.setClock(after: 240)
    try await untilTrue("the fetched activities") {
      try await regatta.number("SELECT count(*) FROM racing.activity WHERE status = 'verified'") == 2
    }
    let (ann, eve) = (regatta.racers[0], regatta.racers[1])
    #expect(try await regatta.leaders() == ["Eve", "Ann"])
    for viewer in [nil, ann, eve] {
      #expect(try await regatta.feed(viewer).map { $0["userId"]?.text } == ["\(ann.id)"])
    }
    #expect(try await regatta.statuses(eve) == ["verified"])
    let other = try await regatta.ask("GET", "/users/\(eve.id)/activities", ann)
    #expect(other.status == 403, "\(other)")

    let set = try await regatta.daemon.settlectl("set", "racing.show_activities", "off")
    #expect(set.exit == .code(0), "\(set.errors)")
    #expect(try await regatta.feed().isEmpty)
    #expect(try await regatta.feed(ann).count == 1)
    let board = try JSONValue(try await regatta.ask("GET", "/races/\(regatta.race)/leaderboard", ann).body)
    let named = board["entries"]?.elements.map { $0["activityId"] } ?? []
    #expect(named == [JSONValue.null, JSONValue.null])
    #expect(try await regatta.leaders() == ["Eve", "Ann"])
    try await regatta.end()
  }
}

/// A race from 13:00 to 16:00 with a daemon, a gateway and a provider; of three connected racers two have entered.
private final class HTTPRegatta: Sendable {
  struct Racer {
    let id: Int64
    let token: String

    func outing(
      _ stravaId: Int, at start: String = "2031-03-05T13:30:00Z", maxSpeed: String = "4.5", name: String = "Paddle"
    ) -> String {
      let place = #"{"latitude": 54.3626, "longitude": -2.9206}"#
      return """
        {"stravaId": \(stravaId), "name": "\(name)", "activityType": "Kayaking", "startDate": "\(start)",
         "elapsedTime": 1800, "movingTime": 1700, "distance": 6000.1, "maxSpeed": \(maxSpeed), "startLocation": \(place),
         "endLocation": \(place), "polyline": "mock"}
        """
    }
  }

  /// 2031-03-05T12:00:00Z.
  private static let start: Int64 = 1_930_478_400

  let owner: Connection
  let daemon: SettledProcess
  let race: Int64
  let racers: [Racer]
  private let gateway: LiveGateway
  private let serving: SettledProcess
  private let provider: FakeProvider
  private let moderator: String

  init() async throws {
    let database = try await SettledDatabase.simulated()
    owner = try await database.connect()
    provider = try await FakeProvider()
    gateway = try LiveGateway(database)
    serving = try await gateway.start()
    daemon = try SettledProcess.daemon(
      database, node: "regatta",
      SettledProcess.adminsAreOurs.merging([
        "SETTLED_STRAVA_OAUTH_BASE": provider.url, "SETTLED_STRAVA_API_BASE": provider.url + "/api/v3",
        "SETTLED_STRAVA_CLIENT_ID": provider.clientId, "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
        "SETTLED_TOKEN_KEY": Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString(),
      ]) { $1 })
    try await daemon.log("ready")
    try await Self.setClock(Self.start, owner, provider)
    // A race keeps the cut-off that it was made with.
    try await owner.execute("SELECT settled.set('racing.entry_cutoff', '0s')")
    race = try await owner.query(
      """
      SELECT racing.create_race('top_speed', 'daily', 'senior_men', settled.clock() + interval '1 hour',
        settled.clock() + interval '4 hours')
      """
    ).one(Int64.self)
    moderator = try await gateway.token("--username", "mod", "--role", "moderator")
    var racers: [Racer] = []
    for name in ["Ann", "Eve", "Kim"] {
      let id = try await owner.query("SELECT racing.create_athlete(\(name), date '2003-05-05', 'male')").one(Int64.self)
      _ = try await owner.query("SELECT racing.deposit(\(id), 1000, 'first')")
      racers.append(Racer(id: id, token: try await gateway.token("--athlete", "\(id)")))
    }
    self.racers = racers
    for racer in racers {
      let code = try await provider.authorize(1000 + racer.id)
      let connected = try await ask(
        "PUT", "/users/\(racer.id)/strava", racer, #"{"code": "\#(code)", "scope": "\#(FakeProvider.scopes)"}"#)
      try #require(connected.status < 300, "\(connected)")
    }
    try await untilTrue("the connections") {
      try await self.number("SELECT count(*) FROM strava.connection WHERE status = 'active'") == 3
    }
    for racer in racers.prefix(2) {
      let entered = try await ask("POST", "/races/\(race)/enter", racer)
      try #require(entered.status == 201, "\(entered)")
    }
  }

  private static func setClock(_ now: Int64, _ owner: Connection, _ provider: FakeProvider) async throws {
    try await provider.setClock(now)
    try await owner.execute("SELECT settled.set_clock(to_timestamp(\(Double(now))))")
  }

  /// In minutes after noon.
  func setClock(after minutes: Int64) async throws {
    try await Self.setClock(Self.start + minutes * 60, owner, provider)
  }

  /// Without a racer the moderator asks.
  func ask(_ method: String, _ path: String, _ racer: Racer?, _ body: String? = nil) async throws -> LiveGateway.Answer
  {
    try await gateway.ask(method, path, token: racer?.token ?? moderator, body: body)
  }

  func number(_ statement: Statement) async throws -> Int64 { try await owner.query(statement).one(Int64.self) }

  func untilValidated() async throws {
    try await untilTrue("validation") {
      try await self.number("SELECT count(*) FROM racing.activity WHERE status = 'pending'") == 0
    }
  }

  /// The provider has an outing; the later racer's is the faster one.
  func plant(_ racer: Racer, _ words: String) async throws {
    let place = "[54.3626, -2.9206]"
    let activity = """
      {"id": \(racer.id), "name": "Paddle", "sport_type": "Kayaking", "start_date": "2031-03-05T14:00:00Z",
       "elapsed_time": 1900, "moving_time": 1800, "distance": 6000.1, "max_speed": \(4 + racer.id), \(words),
       "start_latlng": \(place), "end_latlng": \(place), "map": {"summary_polyline": "mock"}}
      """
    try await provider.plant(1000 + racer.id, activities: "[\(activity)]")
  }

  /// The public list, as nobody or a racer sees it.
  func feed(_ racer: Racer? = nil) async throws -> [JSONValue] {
    try JSONValue(try await gateway.ask("GET", "/activities", token: racer?.token).body).elements
  }

  /// Of the racer's own list.
  func statuses(_ racer: Racer) async throws -> [String?] {
    try JSONValue(try await ask("GET", "/users/\(racer.id)/activities", racer).body).elements
      .map { $0["exactStatus"]?.text }
  }

  /// The names on the leaderboard, the best first.
  func leaders() async throws -> [String?] {
    let board = try JSONValue(try await gateway.ask("GET", "/races/\(race)/leaderboard").body)
    return board["entries"]?.elements.map { $0["userName"]?.text } ?? []
  }

  func end() async throws {
    for process in [daemon, serving] {
      process.terminate()
      #expect(try await process.exit() == .code(0), "\(process.errors.text.suffix(1000))")
    }
    await owner.close()
  }
}
