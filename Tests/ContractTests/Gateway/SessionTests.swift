import Postgres
import TestSupport
import Testing

@Suite("An account") struct SessionTests {
  private static let hash = String(repeating: "h", count: 40)

  private static func world() async throws -> (owner: Connection, gateway: Connection) {
    let database = try await SettledDatabase.simulated()
    try await database.setClock("2031-06-02T09:00:00Z")
    let gateway = try await database.connect(.gateway)
    try await gateway.run("SELECT gateway.register(' Ann@Example.org', 'Ann', 'racer', '\(hash)')")
    return (try await database.connect(), gateway)
  }

  @Test func `an account is registered together with its athlete, or neither is`() async throws {
    let (owner, gateway) = try await Self.world()
    try await gateway.expect(
      "gateway.identity(1)",
      is: #"{"account": 1, "epoch": 1, "email": "ann@example.org", "displayName": "Ann", "athlete": 1, "roles": []}"#)
    let bad = [
      ("'ann@example.org', 'B', 'racer'", "SD409 email"), ("'ANN@EXAMPLE.ORG', 'B', 'racer'", "SD409 email"),
      ("'ann', 'B', 'racer'", "SD400 email"), ("NULL, 'B', 'racer'", "SD400 email"),
      ("E'a@b.c\\nBcc: x@y.z', 'B', 'racer'", "SD400 email"), ("'a@b.c,d@e.f', 'B', 'racer'", "SD400 email"),
      ("repeat('a', 250) || '@b.c', 'B', 'racer'", "SD400 email"),
      ("'b@example.org', '', 'racer'", "SD400 display-name"),
      ("'b@example.org', 'B', 'coach'", "SD400 user-type"), ("'b@example.org', 'B', NULL", "SD400 user-type"),
      ("'b@example.org', NULL, NULL", "SD400 user-type"),
    ]
    for (arguments, expected) in bad {
      let call = "SELECT gateway.register(\(arguments), '\(Self.hash)')"
      #expect(try await outcome { try await gateway.run(call) } == expected, "\(arguments)")
    }
    #expect(
      try await outcome { try await gateway.run("SELECT gateway.register('b@c.d', 'B', 'racer', 'x')") }
        == "SD400 password-hash")
    #expect(try await owner.value("SELECT count(*) FROM racing.athlete") == 1)
    // A person without a name is not shown by the address.
    try await gateway.expect(
      "gateway.register('eve.smith@example.org', NULL, 'spectator', '\(Self.hash)') #> '{user,displayName}'",
      is: #""Spectator 2""#)
    try await gateway.expect(
      """
      (SELECT jsonb_build_array(s #> '{user,displayName}', s #> '{identity,displayName}')
      FROM gateway.register('ben@example.org', NULL, 'racer', '\(Self.hash)') AS s)
      """, is: #"["Racer 3", "Racer 3"]"#)
  }

  @Test func `two registrations of one address at once make one account`() async throws {
    let database = try await SettledDatabase.simulated()
    let (owner, first, second) = (
      try await database.connect(), try await database.connect(.gateway), try await database.connect(.gateway)
    )
    let call = "SELECT gateway.register('ann@example.org', 'Ann', 'racer', '\(Self.hash)')"
    let ended = try await first.transaction { transaction in
      try await transaction.run(call)
      let ended = Task { try await outcome { try await second.run(call) } }
      try await owner.untilBlocked(by: first.backendPID)
      return ended
    }
    #expect(try await ended.value == "SD409 email")
    #expect(try await owner.value("SELECT count(*) FROM racing.athlete") == 1)
  }

  @Test func `an account's hash is found by address or username, and not when it may not log in`() async throws {
    let (owner, gateway) = try await Self.world()
    try await owner.run("UPDATE accounts.account SET username = 'Ann.Other'")
    let mine = #"{"account": 1, "epoch": 1, "hash": "\#(Self.hash)", "isKnown": false}"#
    let nothing = #"{"account": null, "epoch": null, "hash": null, "isKnown": false}"#
    for (name, answer) in [
      ("ann@example.org", mine), (" ANN@example.org", mine), ("ann.other", mine), ("1", nothing), ("eve", nothing),
      ("eve@example.org", nothing),
    ] {
      try await gateway.expect("gateway.credentials('\(name)', 'a')", is: answer, "\(name)")
    }
    try await owner.run("SELECT accounts.create_account('new@example.org', sha256('x'))")
    try await gateway.expect("gateway.credentials('new@example.org', 'a')", is: nothing)
    try await owner.run("SELECT accounts.disable('1')")
    try await gateway.expect("gateway.credentials('ann@example.org', 'a')", is: nothing)
  }

  @Test func `a copy of a database mails nobody and begins and ends no withdrawal until an operator answers`()
    async throws
  {
    let (owner, gateway) = try await Self.world()
    try await owner.run("UPDATE settled.installation SET home = settled.place()")
    try await gateway.run("SELECT gateway.check_mails()")
    try await owner.run("UPDATE settled.installation SET home = 'another/1'")
    for call in ["gateway.check_mails()", "gateway.request_reset('ann@example.org', sha256('t'))"] {
      #expect(try await gateway.tried("SELECT \(call)") == "SD503 home", "\(call)")
    }
    for call in [
      "racing.complete_withdrawal(1)", "racing.fail_withdrawal(1, 'no')", "racing.withdraw(1, 100, 'k')",
    ] {
      #expect(try await owner.tried("SELECT \(call)") == "SD503 home", "\(call)")
    }
    try await owner.run("SELECT settled.set_home()")
    try await gateway.run("SELECT gateway.request_reset('ann@example.org', sha256('t'))")
  }

  @Test func `every change of an account's identities ends its older tokens`() async throws {
    let (owner, gateway) = try await Self.world()
    try await owner.run("SELECT gateway.request_reset('ann@example.org', sha256('t'))")
    try await owner.run("SELECT seasons.create_runner('R', 2031, 'UA', true, true)")
    var epoch = 1
    for call in [
      "gateway.log_out(1)", "accounts.link('1', username => 'ann')", "accounts.link('1', runner => 1)",
      "accounts.grant_role('1', 'payments')", "accounts.revoke_role('1', 'payments')",
      "accounts.unlink('1', '{runner}')",
      "gateway.set_password(sha256('t'), '\(Self.hash)')", "accounts.disable('1')",
    ] {
      #expect(try await gateway.value("SELECT gateway.is_current(1, \(epoch))", as: Bool.self))
      try await owner.run("SELECT \(call)")
      #expect(try await gateway.tried("SELECT gateway.is_current(1, \(epoch))") == "SD401 token", "\(call)")
      epoch += 1
    }
    // Disabled: not by the newest one either.
    #expect(try await gateway.tried("SELECT gateway.is_current(1, \(epoch))") == "SD401 token")
    #expect(try await gateway.tried("SELECT gateway.identity(1)") == "SD401 token")
    #expect(try await gateway.tried("SELECT gateway.log_in(1, \(epoch), 'ann@example.org', 'a')") == "SD401 token")
  }

  @Test func `an account that changed while its password was compared does not log in`() async throws {
    let (_, gateway) = try await Self.world()
    try await gateway.run("SELECT gateway.log_out(1)")
    #expect(try await gateway.tried("SELECT gateway.log_in(1, 1, 'ann@example.org', 'a')") == "SD401 token")
    #expect(try await gateway.tried("SELECT gateway.log_in(1, 2, 'ann@example.org', 'a')") == "ok")
  }

  @Test func `a racepace session holds the athlete's user, or a spectator of the account without one`() async throws {
    let (owner, gateway) = try await Self.world()
    try await gateway.expect(
      "gateway.racepace_session(1) -> 'user'", is: try await gateway.json("SELECT gateway.racepace_user(1)"))
    try await owner.run("SELECT accounts.create_account('coach@example.org', sha256('x'), 'coach')")
    try await gateway.expect(
      "gateway.racepace_session(2) #- '{user,createdAt}' #- '{user,updatedAt}'",
      is: """
        {"user": {"id": "account-2", "email": "coach@example.org", "displayName": "coach", "userType": "spectator",
          "dateOfBirth": null, "gender": null, "profileImageURL": null, "stravaConnection": null,
          "strava": {"status": null, "missingScopes": []}, "wallet": null}, "identity":
          {"account": 2, "epoch": 1, "email": "coach@example.org", "displayName": "coach", "username": "coach", "roles": []}}
        """)
  }
}

@Suite("A one-time token") struct OneTimeTokenTests {
  private static let hash = String(repeating: "n", count: 40)

  private static func world() async throws -> (database: SettledDatabase, owner: Connection, gateway: Connection) {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.run("SELECT accounts.create_account('ann@example.org', sha256('first'))")
    return (database, owner, try await database.connect(.gateway))
  }

  private static func use(_ token: String) -> String {
    "SELECT gateway.set_password(sha256('\(token)'), '\(hash)')"
  }

  @Test func `a one-time token sets the password once, and ends the account's other tokens`() async throws {
    let (_, owner, gateway) = try await Self.world()
    try await gateway.expect(
      "gateway.request_reset('ANN@example.org', sha256('second'))", is: #"{"email": "ann@example.org"}"#)
    #expect(try await gateway.tried("SELECT gateway.check_reset(sha256('second'))") == "ok")
    #expect(try await outcome { try await gateway.run(Self.use("first")) } == "ok")
    for token in ["first", "second", "third"] {
      #expect(try await gateway.tried(Self.use(token)) == "SD400 token", "\(token)")
      #expect(try await gateway.tried("SELECT gateway.check_reset(sha256('\(token)'))") == "SD400 token", "\(token)")
    }
    #expect(try await owner.value("SELECT password_hash FROM accounts.account", as: String.self) == Self.hash)
  }

  @Test func `a one-time token that is used twice at once works once`() async throws {
    let (database, owner, gateway) = try await Self.world()
    let second = try await database.connect(.gateway)
    let ended = try await gateway.transaction { transaction in
      try await transaction.run(Self.use("first"))
      let ended = Task { try await outcome { try await second.run(Self.use("first")) } }
      try await owner.untilBlocked(by: gateway.backendPID)
      return ended
    }
    #expect(try await ended.value == "SD400 token")
    #expect(try await owner.value("SELECT epoch FROM accounts.account") == 2)
  }

  @Test func `a one-time token lasts half an hour, an operator's three days, in real time`() async throws {
    let (_, owner, gateway) = try await Self.world()
    try await gateway.run("SELECT gateway.request_reset('ann@example.org', sha256('mailed'))")
    let seconds = """
      SELECT array_agg(round(extract(epoch FROM expires_at - clock_timestamp()) / 60)::bigint ORDER BY expires_at)
      FROM accounts.one_time_token
      """
    #expect(try await owner.value(seconds, as: [Int64].self) == [30, 72 * 60])
    try await owner.run("UPDATE accounts.one_time_token SET expires_at = expires_at - interval '31 minutes'")
    #expect(try await gateway.tried(Self.use("mailed")) == "SD400 token")
    #expect(try await gateway.tried(Self.use("first")) == "ok")
  }

  @Test func `a request for a one-time token reveals no account, and three tokens are the limit`() async throws {
    let (_, owner, gateway) = try await Self.world()
    let nothing = #"{"email": null}"#
    try await gateway.expect("gateway.request_reset('eve@example.org', sha256('x'))", is: nothing)
    for (token, isMailed) in [("2", true), ("3", true), ("4", false)] {
      try await gateway.expect(
        "gateway.request_reset('ann@example.org', sha256('\(token)'))",
        is: isMailed ? #"{"email": "ann@example.org"}"# : nothing)
    }
    #expect(try await owner.tried("SELECT accounts.create_account('ann@example.org', sha256('5'))") == "SD409 token")
    try await owner.run("UPDATE accounts.one_time_token SET expires_at = expires_at - interval '4 days'")
    try await gateway.run("SELECT gateway.request_reset('ann@example.org', sha256('6'))")
    #expect(try await owner.value("SELECT count(*) FROM accounts.one_time_token") == 1)
    try await owner.run("SELECT accounts.disable('ann@example.org')")
    #expect(try await owner.value("SELECT count(*) FROM accounts.one_time_token") == 0)
    try await gateway.expect("gateway.request_reset('ann@example.org', sha256('7'))", is: nothing)
  }

  /// Somebody else's failures do not lock out whoever proved that the address is theirs.
  @Test func `a used one-time token clears the failed logins of its account`() async throws {
    let (_, _, gateway) = try await Self.world()
    for _ in 1...10 { try await gateway.run("SELECT gateway.credentials('ann@example.org', 'a')") }
    try await gateway.run(Self.use("first"))
    #expect(try await gateway.tried("SELECT gateway.credentials('ann@example.org', 'a')") == "ok")
  }
}
