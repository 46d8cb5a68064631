import Postgres
import TestSupport
import Testing

@Suite("Users in racepace") struct RacepacePeopleTests {
  private static func wallet(_ balance: String = "0", updated: String = "2031-06-02T09:00:00Z") -> String {
    """
    {"id": "1", "userId": "1", "balance": \(balance), "withdrawable": \(balance), "resting": 0,
     "autoPayoutEnabled": false, "payoutDetails": null,
     "createdAt": "2031-06-02T09:00:00Z", "updatedAt": "\(updated)"}
    """
  }

  private static func user(
    email: String = "ann@example.org", name: String = "Ann", updated: String = "2031-06-02T09:00:00Z",
    born: String = "null", gender: String = "null", type: String = "racer", connection: String = "null",
    strava: String = #"{"status": null, "missingScopes": []}"#
  ) -> String {
    """
    {"id": "1", "email": "\(email)", "displayName": "\(name)", "userType": "\(type)",
     "createdAt": "2031-06-02T09:00:00Z", "updatedAt": "\(updated)", "dateOfBirth": \(born), "gender": \(gender),
     "profileImageURL": null, "stravaConnection": \(connection), "strava": \(strava), "wallet": \(wallet())}
    """
  }

  private static func world() async throws -> Course {
    let course = try await Course()
    try await course.session.run("SELECT gateway.register('ann@example.org', 'Ann', 'racer', repeat('h', 40))")
    return course
  }

  @Test func `a racepace user shows as registered, and then as the app's whole User changed it`() async throws {
    let course = try await Self.world()
    let session = course.session
    try await session.expect("gateway.racepace_user(1)", is: Self.user())
    try await course.setClock("2031-06-02T09:30:00.9Z")
    let sent = """
      {"id": "7", "email": "eve@example.org", "displayName": "Anne", "userType": "spectator", "gender": "female",
       "dateOfBirth": "1990-01-01T00:00:00Z", "createdAt": "x", "wallet": {"balance": 1000}, "roles": ["payments"]}
      """
    let changed = Self.user(
      name: "Anne", updated: "2031-06-02T09:30:00Z", born: #""1990-01-01T00:00:00Z""#, gender: #""female""#,
      type: "spectator")
    try await session.expect("gateway.racepace_update_user(1, '\(sent)')", is: changed)
    try await session.expect("gateway.racepace_user(1)", is: changed)
    for (body, expected) in [
      ("null", "SD400 body"), ("[]", "SD400 body"), (#"{"displayName": 3}"#, "SD400 display-name"),
      (#"{"dateOfBirth": 3}"#, "SD400 date-of-birth"),
      (#"{"dateOfBirth": "1990-02-30T00:00:00Z"}"#, "SD400 date-of-birth"),
      (#"{"dateOfBirth": "1990-01-01"}"#, "ok"), (#"{"dateOfBirth": null, "nickname": 1}"#, "ok"),
      (#"{"gender": "x"}"#, "SD400 gender"), (#"{"userType": "coach"}"#, "SD400 user-type"),
    ] {
      #expect(try await session.tried("SELECT gateway.racepace_update_user(1, '\(body)')") == expected, "\(body)")
    }
    #expect(try await session.tried("SELECT gateway.racepace_update_user(9, '{}')") == "SD404 athlete")
  }

  /// Where it is midnight in London an app there means that date; elsewhere the nearest date of UTC is meant.
  static let births: [(sent: String, kept: String?)] = [
    ("1995-06-15", "1995-06-15"), ("1995-06-15T00:00:00Z", "1995-06-15"), ("1995-06-15T00:00:00.000Z", "1995-06-15"),
    ("1995-06-14T23:00:00Z", "1995-06-15"), ("1995-01-14T23:00:00Z", "1995-01-15"),
    ("1969-01-14T23:00:00Z", "1969-01-15"), ("1995-06-15T04:00:00Z", "1995-06-15"),
    ("1995-06-14T18:30:00Z", "1995-06-15"), ("1995-06-14T18:15:00Z", "1995-06-15"),
    ("1995-06-14T12:00:00Z", "1995-06-15"), ("1995-06-14T11:45:00Z", "1995-06-14"),
    ("1995-06-14T23:00:01Z", nil), ("1995-06-14T23:10:00Z", nil), ("1995-06-14T23:00:00.5Z", nil),
    ("1995-06-14T24:00:00Z", nil), ("1995-06-14T23:60:00Z", nil), ("1995-06-14T23:00:00+01:00", nil),
    ("1995-06-14T23:00Z", nil), ("1995-06-14 23:00:00Z", nil), ("1995-02-29T23:00:00Z", nil),
    ("0000-01-01T00:00:00Z", nil),
    ("2031-06-02T23:00:00Z", nil), ("15.06.1995", nil), ("", nil),
  ]

  @Test func `a date of birth is the date that the app means`() async throws {
    let course = try await Self.world()
    for (sent, kept) in Self.births {
      let call = #"gateway.racepace_update_user(1, '{"dateOfBirth": "\#(sent)"}')"#
      if let kept {
        try await course.session.expect("(\(call) -> 'dateOfBirth')", is: #""\#(kept)T00:00:00Z""#, "\(sent)")
      } else {
        #expect(try await course.session.tried("SELECT \(call)") == "SD400 date-of-birth", "\(sent)")
      }
    }
    try await course.session.run("SELECT settled.set('racing.time_zone', 'Asia/Tokyo')")
    try await course.session.expect(
      #"(gateway.racepace_update_user(1, '{"dateOfBirth": "1995-06-14T15:00:00Z"}') -> 'dateOfBirth')"#,
      is: #""1995-06-15T00:00:00Z""#)
  }

  @Test func `a racepace user without an account has no address`() async throws {
    let course = try await Course()
    try await course.session.run("SELECT racing.create_athlete('Ann')")
    try await course.session.expect("gateway.racepace_user(1)", is: Self.user(email: ""))
  }

  /// The token is there while the connection is active and the token lasts; the app decodes nothing else.
  @Test func `a racepace user shows the connection, with its token only while it is usable`() async throws {
    let course = try await Self.world()
    let session = course.session
    let connecting = #"{"status": "connecting", "missingScopes": ["profile:read_all"]}"#
    let body = #"{"code": "c", "scope": "read,activity:read_all"}"#
    try await session.expect("gateway.racepace_update_strava(1, '\(body)')", is: Self.user(strava: connecting))
    try await session.script(
      """
      UPDATE strava.connection SET status = 'active', provider_athlete_id = 77, expires_at = '2031-06-02T15:00:00.5Z';
      INSERT INTO strava.access VALUES (1, 'secret');
      """)
    let active = #"{"status": "active", "missingScopes": ["profile:read_all"]}"#
    let connection = """
      {"athleteId": 77, "accessToken": "secret", "refreshToken": "", "expiresAt": "2031-06-02T15:00:00Z"}
      """
    try await session.expect("gateway.racepace_user(1)", is: Self.user(connection: connection, strava: active))
    // The calls of a token count for the application: while its reads decide about money, racers do not get it.
    try await session.run("SELECT settled.set('racing.proof', 'on')")
    let hidden = connection.replacing("secret", with: "")
    try await session.expect("gateway.racepace_user(1)", is: Self.user(connection: hidden, strava: active))
    let kept = try await session.query("SELECT strava.access_token(1) ->> 'accessToken'").one(String.self)
    #expect(kept == "secret", "apps on the SQL contract have it all the same")
    try await session.run("SELECT settled.set('racing.show_access_token', 'on')")
    try await session.expect("gateway.racepace_user(1)", is: Self.user(connection: connection, strava: active))
    try await course.setClock("2031-06-02T15:00:01Z")
    try await session.expect("gateway.racepace_user(1)", is: Self.user(strava: active), "the token has ended")
    let revoked = #"{"status": "revoked", "missingScopes": ["profile:read_all"]}"#
    for _ in 1...2 {
      try await session.expect("gateway.racepace_update_strava(1, 'null')", is: Self.user(strava: revoked))
    }
  }

  @Test func `disconnecting without a connection succeeds; tokens from the app are refused`() async throws {
    let course = try await Self.world()
    try await course.session.expect("gateway.racepace_update_strava(1, 'null')", is: Self.user())
    for (body, expected) in [
      ("[]", "SD400 body"), ("{}", "SD400 code"), (#"{"code": ""}"#, "SD400 code"), (#"{"code": 7}"#, "SD400 code"),
      (#"{"code": "c"}"#, "SD400 scope"), (#"{"code": "c", "scope": ""}"#, "ok"),
      (#"{"code": "c", "scope": "", "accessToken": "t"}"#, "SD400 key"),
      (#"{"athleteId": 1, "accessToken": "t", "refreshToken": "r", "expiresAt": "2031-01-01T00:00:00Z"}"#, "SD400 key"),
    ] {
      #expect(
        try await course.session.tried("SELECT gateway.racepace_update_strava(1, '\(body)')") == expected, "\(body)")
    }
  }

  @Test func `an athlete sends ten codes a day, by the setting, and disconnecting is none`() async throws {
    let course = try await Self.world()
    func send(_ body: String = #"{"code": "c", "scope": "read"}"#) async throws -> String {
      try await outcome { try await course.session.run("SELECT gateway.racepace_update_strava(1, '\(body)')") }
    }
    for _ in 1...10 { #expect(try await send() == "ok") }
    #expect(try await send() == "SD429 quota")
    #expect(try await send("null") == "ok")
    #expect(try await send() == "SD429 quota")
    let attempts = try await course.session.query("SELECT attempt FROM strava.connection").one(Int64.self)
    #expect(attempts == 11, "what is refused leaves no code")
    try await course.session.run("SELECT settled.set('racing.codes_a_day', '11')")
    #expect(try await send() == "ok")
    try await course.setClock("2031-06-03T09:00:00Z")
    #expect(try await send() == "ok")
  }
}
