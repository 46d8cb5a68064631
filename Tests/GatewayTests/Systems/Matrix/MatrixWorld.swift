import Crypto
import GatewaySupport
import Postgres
import TestSupport

@testable import Gateway

/// People, and things of theirs, for the matrix of routes and callers.
struct MatrixWorld {
  let world: SystemWorld
  /// Ids as they stand in paths and bodies, by the names that cases use.
  let things: [String: String]
  private let tokens: [MatrixCaller: String]

  init(_ world: SystemWorld) async throws {
    self.world = world
    var things = ["slug": "bookworm"]
    let ann = try await Self.person(world, "ann")
    let bob = try await Self.person(world, "bob")
    things["athlete"] = ann.athlete.map { "\($0)" }
    things["runner"] = ann.runner.map { "\($0)" }
    things["reader"] = ann.reader.map { "\($0)" }
    let (oneself, another) = (try await world.token(ann), try await world.token(bob))
    try await Self.race(world, oneself, another, &things)
    try await Self.share(world, &things)
    self.things = things
    tokens = try await Self.tokens(world, ann).merging([.oneself: oneself, .another: another]) { first, _ in first }
  }

  func token(of caller: MatrixCaller) -> String? { tokens[caller] }

  /// Ends no session: what logging out did is taken back.
  func restoreSessions() async throws {
    try await world.owner.execute("UPDATE accounts.account SET epoch = 1 WHERE username IN ('ann', 'bob')")
  }

  /// An account with all identities, and the caller that its token says.
  private static func person(_ world: SystemWorld, _ name: String) async throws -> Caller {
    let athlete = try await world.athlete(name, pounds: 50)
    let runner = try await world.number("SELECT seasons.create_runner(\(name), 2034, 'UA', true, true)")
    let reader = 500 + athlete
    _ = try await world.owner.query("SELECT seasons.create_user(\(name), \(name), 'runner')")
    _ = try await world.owner.query("SELECT achievements.create_user(\(reader), \(name))")
    _ = try await world.owner.query("SELECT checkins.onboard(\(name), 'Europe/London')")
    let account = try await world.number(
      """
      INSERT INTO accounts.account (email, username, display_name, athlete_id, runner_id, reader_id, checkin_id)
      VALUES (lower(\(name)) || '@example.com', \(name), \(name), \(athlete), \(runner), \(reader), \(name)) RETURNING id
      """)
    return Caller(
      account: account, epoch: 1, athlete: athlete, username: name, runner: runner, reader: reader, checkin: name)
  }

  /// Two races, an entry, an activity that may be flagged, and one that is to be reviewed.
  private static func race(
    _ world: SystemWorld, _ oneself: String, _ another: String, _ things: inout [String: String]
  ) async throws {
    let other = try await world.number("SELECT athlete_id FROM accounts.account WHERE username = 'bob'")
    for (id, token) in [(things["athlete"] ?? "", oneself), ("\(other)", another)] {
      _ = try await world.json(
        "PUT /users/\(id)/strava", token: token, body: #"{"code":"c","scope":"read,activity:read_all"}"#, status: 201)
    }
    try await world.owner.execute("UPDATE strava.connection SET status = 'active'")
    for (name, type) in [("race", "top_speed"), ("nextRace", "furthest_distance")] {
      let id = try await world.number(
        """
        SELECT racing.create_race(\(type), 'daily', 'masters_women', settled.clock() - interval '1 hour',
          settled.clock() + interval '23 hours')
        """)
      things[name] = "\(id)"
    }
    let race = things["race"] ?? ""
    things["entry"] = try await world.json("POST /races/\(race)/enter", token: oneself, status: 201)["id"].plain
    for (number, name) in ["activity", "flagged"].enumerated() {
      let made = try await world.json(
        "POST /activities", token: oneself,
        body: """
          {"stravaId":"\(number + 1)","name":"Out","activityType":"Kayaking","startDate":"2031-06-01T09:00:00Z",
           "elapsedTime":600,"movingTime":590,"distance":2000.5}
          """, status: 201)
      things[name] = try made["id"].plain
    }
    try await world.owner.execute("UPDATE racing.activity SET status = 'verified', scored = true")
    for number in 1...3 {
      let flagger = try await world.athlete("Flagger \(number)")
      try await world.owner.execute(
        """
        SELECT racing.flag_activity(\(things["flagged"] ?? "")::text::bigint, \(flagger), 'suspicious_speed', NULL)
        """)
    }
  }

  /// Rewards, a talk, and an achievement.
  private static func share(_ world: SystemWorld, _ things: inout [String: String]) async throws {
    _ = try await world.owner.query("SELECT seasons.create_user('mike', 'Mike', 'coach')")
    for (order, name) in ["reward", "otherReward"].enumerated() {
      let reward = try await world.owner.query(
        """
        SELECT seasons.create_reward(jsonb_build_object('season', 'xc', 'year', '2031', 'description', \(name)::text,
          'pointThreshold', 50, 'displayOrder', \(Int64(order + 1)), 'createdBy', 'mike')) ->> 'id'
        """
      ).one(String.self)
      things[name] = reward
    }
    things["talk"] = try await world.owner.query(
      """
      SELECT seasons.create_team_talk(
        '{"author": "mike", "season": "xc", "year": "2031", "title": "Hello", "content": "All", "team": "UA"}')::text
      """
    ).one(String.self)
    let definition = """
      {"slug": "bookworm", "name": "Bookworm", "description": "Read", "category": "career", "display_order": 1,
       "icon": {"type": "book", "color": "#FFD700", "symbol": "B", "svg_url": null}, "reward": 5, "is_hidden": false,
       "unlock_requirements": {"metric": "author_read_count", "value": 50}}
      """
    try await world.owner.execute("SELECT achievements.define(\(JSON(text: definition)))")
    things["achievement"] = "\(try await world.number("SELECT id FROM achievements.achievement"))"
  }

  private static func tokens(_ world: SystemWorld, _ ann: Caller) async throws -> [MatrixCaller: String] {
    let now = Surroundings.host.wall().microseconds / 1_000_000
    let (key, url) = (world.key, SystemWorld.publicURL)
    func header(_ algorithm: String) -> String { #"{"alg":"\#(algorithm)","typ":"JWT","kid":"\#(key.id)"}"# }
    func payload(aud: String = url, exp: Int64 = now + 3600) -> String {
      """
      {"iss":"\(url)","aud":"\(aud)","sub":"\(ann.account ?? 0)","epoch":1,"athlete":\(ann.athlete ?? 0),\
      "username":"ann","runner":\(ann.runner ?? 0),"reader":\(ann.reader ?? 0),"checkin":"ann",\
      "roles":["moderator","payments"],"iat":\(now - 60),"exp":\(exp)}
      """
    }
    let own = Forge.es256(key.key)
    var tokens: [MatrixCaller: String] = [
      .coach: try await world.token(username: "mike"),
      .moderator: try await world.token(username: "mod", roles: [.moderator]),
      .payments: try await world.token(roles: [.payments]),
      .expired: try Forge.token(header("ES256"), payload(exp: now - 1), own),
      .wrongKey: try Forge.token(header("ES256"), payload(), Forge.es256(P256.Signing.PrivateKey())),
      .wrongAlgorithm: try Forge.token(header("HS256"), payload(), Forge.hs256(Keys.ecPublic)),
      .none: Forge.token(header("none"), payload()) { _ in [] },
      .wrongAudience: try Forge.token(header("ES256"), payload(aud: "https://other.example"), own),
    ]
    for (caller, change) in [
      (MatrixCaller.loggedOut, Statement("UPDATE accounts.account SET epoch = 2 WHERE username = 'loggedOut'")),
      (.disabled, "UPDATE accounts.account SET disabled_at = clock_timestamp() WHERE username = 'disabled'"),
    ] {
      let person = try await person(world, "\(caller)")
      try await world.owner.execute(change)
      tokens[caller] = try await world.token(
        Caller(
          account: person.account, epoch: 1, athlete: ann.athlete, username: "ann", runner: ann.runner,
          reader: ann.reader, checkin: "ann", roles: [.moderator, .payments]))
    }
    return tokens
  }
}
