import Postgres
import TestSupport
import Testing

@testable import Gateway

@Suite("Racepace over HTTP", .timeLimit(.minutes(2))) struct RacepaceRouteTests {
  @Test func `a racepace user registers, logs in, pays in, enters a race and pays out, in the app's shapes`()
    async throws
  {
    try await SystemWorld.run { world in
      // 1. An account.
      let registered = try await world.json(
        "POST /auth/register",
        body: #"{"email":"Ann@example.com","password":"correct horse","userType":"racer","displayName":"Ann"}"#,
        status: 201)
      let (token, user) = (try registered["token"].plain, try registered["user"])
      let id = try user["id"].plain
      #expect(try user["email"] == .text("ann@example.com"))
      #expect(try user["stravaConnection"] == .null)
      #expect(try user["wallet"]["balance"] == .number(0))
      let taken = try await world.call(
        "POST /v1/auth/register", body: #"{"email":"ann@example.com","password":"correct horse","userType":"racer"}"#)
      #expect(taken.status == 409 && taken.has(#""rule":"email""#), "\(taken)")
      let loggedIn = try await world.json(
        "POST /auth/login", body: #"{"email":"ann@example.com","password":"correct horse"}"#)
      #expect(try loggedIn["user"]["id"].plain == id)
      #expect(try await world.json("GET /v1/auth/validate", token: token)["token"].plain == token)
      // 2. Who may enter says their birthday and gender, and connects.
      let changed = try await world.json(
        "PUT /users/\(id)", token: token,
        body: #"{"id":"\#(id)","displayName":"Ann B","dateOfBirth":"1990-01-01T00:00:00Z","gender":"female"}"#)
      #expect(try changed["displayName"] == .text("Ann B"))
      #expect(try changed["dateOfBirth"] == .text("1990-01-01T00:00:00Z"))
      let connected = try await world.json(
        "PUT /users/\(id)/strava", token: token, body: #"{"code":"c","scope":"read,activity:read_all"}"#, status: 201)
      #expect(try connected["strava"]["status"] == .text("connecting"))
      #expect(try connected["stravaConnection"] == .null)
      try await world.owner.execute("UPDATE strava.connection SET status = 'active'")
      // 3. Money, by a back end alone.
      let payments = try await world.token(athlete: 999, roles: [.payments])
      let deposit = "POST /wallets/\(id)/deposit"
      let own = try await world.call(deposit, token: token, body: #"{"amount":20}"#, headers: ["Idempotency-Key: k1"])
      #expect(own.status == 403, "\(own)")
      let keyless = try await world.call(deposit, token: payments, body: #"{"amount":20}"#)
      #expect(keyless.status == 400 && keyless.has("idempotency-key"), "\(keyless)")
      let paid = try await world.json(
        deposit, token: payments, body: #"{"amount":20.05}"#, headers: ["Idempotency-Key: k1"], status: 201)
      #expect(try paid["amount"] == .number(20.05) && paid["type"] == .text("deposit"))
      // 4. A race.
      let race = try await world.number(
        """
        SELECT racing.create_race('top_speed', 'daily', 'masters_women', settled.clock() - interval '1 hour',
          settled.clock() + interval '23 hours')
        """)
      let races = try await world.call("GET /races?type=top_speed&status=active")
      #expect(races.status == 200 && races["ETag"] != nil)
      #expect(try DocumentJSON(races.body).elements.map { try $0["id"].plain } == ["\(race)"])
      let entry = try await world.json("POST /races/\(race)/enter", token: token, status: 201)
      #expect(try entry["status"] == .text("active") && entry["raceId"].plain == "\(race)")
      let again = try await world.call("POST /races/\(race)/enter", token: token)
      #expect(again.status == 409, "\(again)")
      #expect(try await world.json("GET /races/\(race)")["prizePool"] == .number(1))
      let entries = try await world.json("GET /users/\(id)/entries?limit=1", token: token)
      #expect(entries.count == 1)
      #expect(try await world.json("GET /entries/\(entry["id"].plain)", token: token)["id"] == entry["id"])
      #expect(try await world.json("GET /races/\(race)/leaderboard")["raceId"].plain == "\(race)")
      // 5. Out again.
      let withdrawn = try await world.json(
        "POST /wallets/\(id)/withdraw", token: token, body: #"{"amount":9.05}"#, headers: ["Idempotency-Key: w1"],
        status: 201)
      #expect(try withdrawn["status"] == .text("pending") && withdrawn["type"] == .text("withdrawal"))
      #expect(try await world.json("GET /wallets/\(id)", token: token)["balance"] == .number(10))
      let lines = try await world.json("GET /wallets/\(id)/transactions", token: token).elements
      #expect(try lines.map { try $0["type"].plain } == ["withdrawal", "entryFee", "deposit"])
      // 6. The end of the connection, and of all tokens.
      let disconnected = try await world.json("PUT /users/\(id)/strava", token: token, body: "\n null")
      #expect(try disconnected["stravaConnection"] == .null)
      #expect(try await world.call("POST /auth/logout", token: token).status == 204)
      let ended = try await world.call("GET /users/\(id)", token: token)
      #expect(ended.status == 401 && ended["WWW-Authenticate"] == "Bearer", "\(ended)")
    }
  }

  @Test func `a racepace deposit is booked once for key and wallet, and another amount is refused`() async throws {
    try await SystemWorld.run { world in
      let (ann, bob) = (try await world.athlete("Ann"), try await world.athlete("Bob"))
      let back = try await world.token(athlete: 900, roles: [.payments])
      let other = try await world.token(athlete: 901, roles: [.payments])
      func pay(_ wallet: Int64, _ amount: String, _ token: String) async throws -> Reply {
        try await world.call(
          "POST /wallets/\(wallet)/deposit", token: token, body: #"{"amount":\#(amount)}"#,
          headers: ["Idempotency-Key: same"])
      }
      let first = try await pay(ann, "5", back)
      #expect(first.status == 201, "\(first)")
      let second = try await pay(ann, "5.00", other)
      #expect(second.status == 201 && second.body == first.body, "\(second)")
      #expect(try await pay(ann, "6", other).status == 409)
      #expect(try await pay(bob, "5", back).status == 201)
      for amount in ["0.001", "-1", "1e3000", "\"5\"", "null", "1000000.01"] {
        let refused = try await pay(bob, amount, back)
        #expect(refused.status == 400, "\(amount): \(refused)")
      }
      for athlete in [ann, bob] {
        #expect(try await world.number("SELECT (racing.wallet(\(athlete)) ->> 'balancePence')::bigint") == 500)
      }
      let nobody = try await pay(4711, "5", back)
      #expect(nobody.status == 404 && nobody.has(#""rule":"athlete""#), "\(nobody)")
    }
  }

  @Test(arguments: ["page", "per_page", "offset", "cursor"])
  func `a way of paging that a route does not serve is refused`(name: String) async throws {
    try await SystemWorld.run { world in
      for path in ["/races", "/activities", "/races/1", "/wp-json/gread/v1/achievements"] {
        let refused = try await world.call("GET \(path)?\(name)=2")
        #expect(refused.status == 400 && refused.body.contains(name), "\(path): \(refused)")
      }
      let served = try await world.call("GET /wp-json/gread/v1/achievements/leaderboard?offset=2")
      #expect(served.status == 200, "\(served)")
    }
  }

  @Test func `racepace hides exact places of other athletes, and shows reviews to moderators only`() async throws {
    try await SystemWorld.run { world in
      let ann = try await world.athlete("Ann")
      let token = try await world.token(athlete: ann)
      let body = """
        {"stravaId":"77","userId":"\(ann)","name":"Out","activityType":"Kayaking","startDate":"2031-06-01T09:00:00Z",
         "elapsedTime":600,"movingTime":590,"distance":2000.5,"maxSpeed":4.2,"flagCount":99,"status":"verified",
         "startLocation":{"latitude":51.512345,"longitude":-0.123456},
         "endLocation":{"latitude":51.512345,"longitude":-0.123456}}
        """
      // PostgreSQL has no number of so many digits.
      let large = body.replacing("2000.5", with: "1" + String(repeating: "0", count: 140_000))
      let refused = try await world.call("POST /activities", token: token, body: large)
      #expect(refused.status == 400, "\(refused)")
      let mine = try await world.json("POST /activities", token: token, body: body, status: 201)
      #expect(try mine["startLocation"]["latitude"] == .number(51.512345))
      #expect(try mine["flagCount"] == .number(0))
      let other = try await world.token(athlete: ann + 1)
      let conflict = try await world.call("POST /activities", token: other, body: body)
      #expect(conflict.status == 403, "\(conflict)")
      try await world.owner.execute("UPDATE racing.activity SET status = 'verified', scored = true")
      for caller in [nil, other] {
        let feed = try await world.json("GET /activities", token: caller).elements
        #expect(try feed.map { try $0["startLocation"]["latitude"] } == [.number(51.51)])
      }
      #expect(try await world.json("GET /activities", token: token).elements[0] == mine.with(status: "verified"))
      let flag = "POST /activities/\(try mine["id"].plain)/flag"
      for reason in ["suspicious_speed", "motorizedAssistance", "impossible_route"] {
        let flagger = try await world.token(athlete: try await world.athlete(reason))
        let flagged = try await world.json(flag, token: flagger, body: #"{"reason":"\#(reason)"}"#, status: 201)
        #expect(try flagged["activityId"] == mine["id"])
      }
      let moderator = try await world.token(username: "mod", roles: [.moderator])
      #expect(try await world.call("GET /moderation/flagged", token: token).status == 403)
      let listed = try await world.call("GET /moderation/flagged", token: moderator)
      #expect(listed.status == 200 && !listed.has("flaggedBy"), "\(listed)")
      #expect(try DocumentJSON(listed.body).elements[0]["reasons"].count == 3)
      let review = try await world.json(
        "POST /moderation/review", token: moderator,
        body: #"{"activityId":"\#(try mine["id"].plain)","decision":"approve"}"#)
      #expect(try review["status"] == .text("verified"))
    }
  }

  @Test func `a moderator with an account stands in decisions by the account's number`() async throws {
    try await SystemWorld.run { world in
      let activity = try await world.owner.query(
        """
        INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
          distance, content_hash, imported_at, status, scored)
        VALUES (\(try await world.athlete("Ann")), 7, 'A', 'Kayaking', now(), 1, 1, 1, sha256(''), now(), 'verified', true)
        RETURNING id
        """
      ).one(Int64.self)
      let account = try await world.account("mod@example.org", username: "mod")
      try await world.owner.execute("UPDATE accounts.account SET roles = '{moderator}'")
      let token = try DocumentJSON(try await world.logIn("mod").body)["token"].plain
      _ = try await world.json(
        "POST /moderation/review", token: token, body: #"{"activityId":"\#(activity)","decision":"disqualify"}"#)
      let reviewer = try await world.owner.query("SELECT reviewer FROM racing.decision").one(String.self)
      #expect(reviewer == "account \(account)")
      let event = try await world.owner.query(
        "SELECT payload ->> 'reviewer' FROM settled.event_pending WHERE topic = 'review.decided'"
      ).one(String.self)
      #expect(event == reviewer)
    }
  }
}

extension DocumentJSON {
  /// The same activity with another status, once it is validated.
  func with(status: String) -> DocumentJSON {
    guard case .object(var members) = self else { return self }
    members["status"] = .text(status)
    members["exactStatus"] = .text(status)
    members["isGPSVerified"] = .bool(true)
    members["isUKActivity"] = .bool(true)
    return .object(members)
  }
}
