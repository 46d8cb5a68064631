import Postgres
import TestSupport
import Testing

@Suite("An operator's account") struct OperatorFunctionTests {
  private static func world() async throws -> (owner: Connection, daemon: Connection) {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    try await owner.run(
      """
      SELECT racing.create_athlete('Ann'), racing.create_athlete('Bob'), achievements.create_user(7, 'Reader'),
        seasons.create_runner('Ann', 2032, 'UA', true, true)
      """)
    return (owner, try await database.connect(.daemon))
  }

  /// An account's part in the systems, with its roles.
  private static func shown(_ account: String) -> String {
    "accounts.show('\(account)') - '{id,email,displayName,createdAt,hasPassword,verifiedAt}'::text[]"
  }

  @Test func `an operator's account is created for its persons; its link may be renewed before a password`()
    async throws
  {
    let (owner, daemon) = try await Self.world()
    let call = """
      accounts.create_account('Ann@example.org', sha256('1'), username => 'ann', athlete => 1, runner => 1, reader => 7,
        checkin => 'uid-1')
      """
    try await daemon.expect(
      "\(call) - 'createdAt'",
      is: """
        {"id": 1, "email": "ann@example.org", "displayName": "ann", "username": "ann", "athleteId": 1, "runnerId": 1,
         "readerId": 7, "checkinId": "uid-1", "roles": [], "hasPassword": false, "verifiedAt": null,
         "disabledAt": null}
        """)
    #expect(try await daemon.tried("SELECT \(call)") == "SD409 email")
    try await daemon.run("SELECT accounts.create_account('ann@example.org', sha256('2'))")
    #expect(try await owner.value("SELECT count(*) FROM accounts.one_time_token") == 2)
    try await owner.run("SELECT gateway.set_password(sha256('2'), repeat('h', 40))")
    #expect(
      try await daemon.tried("SELECT accounts.create_account('ann@example.org', sha256('3'))") == "SD409 email")
  }

  @Test func `an operator's account has each person exclusively, and only one that exists`() async throws {
    let (_, daemon) = try await Self.world()
    for (email, username) in [("ann", "Ann"), ("bob", "Bob")] {
      try await daemon.run("SELECT accounts.create_account('\(email)@example.org', sha256('\(email)'), '\(username)')")
    }
    try await daemon.run("SELECT accounts.link('ann', athlete => 1, runner => 1, reader => 7, checkin => 'uid')")
    for (arguments, expected) in [
      ("athlete => 1", "SD409 athlete"), ("runner => 1", "SD409 runner"), ("reader => 7", "SD409 reader"),
      ("checkin => 'uid'", "SD409 checkin"), ("username => 'ANN'", "SD409 username"),
      ("athlete => 99", "SD404 athlete"),
      ("runner => 99", "SD404 runner"), ("reader => 99", "SD404 reader"), ("checkin => ''", "SD400 checkin"),
      ("username => 'a b'", "SD400 username"), ("username => NULL", "SD400 link"), ("athlete => 2", "ok"),
      ("username => 'BOB'", "ok"),
    ] { #expect(try await daemon.tried("SELECT accounts.link('bob', \(arguments))") == expected, "\(arguments)") }
    #expect(try await daemon.tried("SELECT accounts.link('eve', athlete => 2)") == "SD404 account")
    try await daemon.run("SELECT accounts.unlink('ann@example.org', '{athlete,username}')")
    try await daemon.expect(
      Self.shown("1"),
      is: """
        {"username": null, "athleteId": null, "runnerId": 1, "readerId": 7, "checkinId": "uid", "roles": [],
         "disabledAt": null}
        """)
    #expect(try await daemon.tried("SELECT accounts.link('bob', athlete => 1)") == "ok")
    for kinds in ["NULL", "'{}'", "'{email}'", "'{NULL}'"] {
      #expect(try await daemon.tried("SELECT accounts.unlink('bob', \(kinds))") == "SD400 link", "\(kinds)")
    }
  }

  @Test func `an operator's account gains and loses roles, and stays disabled until it is enabled`() async throws {
    let (owner, daemon) = try await Self.world()
    try await daemon.run("SELECT accounts.create_account('ann@example.org', sha256('1'))")
    for (call, roles) in [
      ("grant_role('1', 'payments')", #"["payments"]"#),
      ("grant_role('1', 'moderator')", #"["moderator", "payments"]"#),
      ("grant_role('1', 'moderator')", #"["moderator", "payments"]"#),
      ("revoke_role('1', 'payments')", #"["moderator"]"#),
    ] { try await daemon.expect("accounts.\(call) -> 'roles'", is: roles, "\(call)") }
    for role in ["NULL", "'coach'", "''"] {
      #expect(try await daemon.tried("SELECT accounts.grant_role('1', \(role))") == "SD400 role")
    }
    try await daemon.expect("to_jsonb(accounts.disable('1') -> 'disabledAt' = 'null')", is: "false")
    #expect(try await owner.tried("SELECT gateway.set_password(sha256('1'), repeat('h', 40))") == "SD400 token")
    #expect(try await daemon.tried("SELECT accounts.reset('1', sha256('r'))") == "SD409 disabled")
    try await daemon.expect("accounts.enable('1') -> 'disabledAt'", is: "null")
    try await daemon.run("SELECT accounts.reset('1', sha256('r'))")
    #expect(try await owner.value("SELECT epoch FROM accounts.account") == 7)
  }

  @Test func `an operator's account is verified by its link, and a registered one is no coach before`() async throws {
    let (owner, daemon) = try await Self.world()
    try await owner.run(
      "SELECT gateway.register('coach@example.org', 'Eve', 'racer', repeat('h', 40)), seasons.create_user('coach', 'C', 'coach')"
    )
    let calls = ["accounts.link(ACCOUNT, 'coach'MORE)", "accounts.grant_role(ACCOUNT, 'payments'MORE)"]
    func call(_ call: String, of account: String, _ more: String = "") -> String {
      "SELECT " + call.replacing("ACCOUNT", with: "'\(account)'").replacing("MORE", with: more)
    }
    for each in calls {
      for more in ["", ", unverified => false", ", unverified => NULL"] {
        let ended = try await daemon.tried(call(each, of: "Coach@example.org", more))
        #expect(ended == "SD409 unverified", "\(each) \(more)")
      }
    }
    try await daemon.expect("jsonb_path_query_array(accounts.list(), '$[*].verifiedAt')", is: "[null]")
    // Its number is nobody's mistake, and an operator may overrule.
    try await daemon.run(call(calls[0], of: "1"))
    for name in ["coach", "COACH", "coach@example.org"] {
      #expect(try await daemon.tried(call(calls[1], of: name)) == "SD409 unverified", "\(name)")
    }
    #expect(try await daemon.tried(call(calls[1], of: "coach", ", unverified => true")) == "ok")
    // A link that was used proves it, the first one for good.
    for token in ["r", "s"] {
      try await daemon.run("SELECT accounts.reset('1', sha256('\(token)'))")
      #expect(try await daemon.tried("SELECT accounts.revoke_role('1', 'payments')") == "ok")
      try await owner.run("SELECT gateway.set_password(sha256('\(token)'), repeat('n', 40))")
      #expect(try await daemon.tried(call(calls[1], of: "coach@example.org")) == "ok", "\(token)")
    }
    try await daemon.expect(
      "to_jsonb((accounts.show('coach') ->> 'verifiedAt')::timestamptz BETWEEN now() - interval '1 hour' AND now())",
      is: "true")
    // An operator's account has no password before: only a link opens it.
    try await daemon.run("SELECT accounts.create_account('ann@example.org', sha256('1'))")
    #expect(try await daemon.tried("SELECT accounts.grant_role('ann@example.org', 'moderator')") == "ok")
  }

  @Test func `the list of accounts has pages`() async throws {
    let (_, daemon) = try await Self.world()
    try await daemon.expect("accounts.list()", is: "[]")
    for number in 1...3 {
      try await daemon.run("SELECT accounts.create_account('a\(number)@example.org', sha256('\(number)'))")
    }
    try await daemon.expect("jsonb_path_query_array(accounts.list(NULL, 2), '$[*].id')", is: "[1, 2]")
    try await daemon.expect("jsonb_path_query_array(accounts.list(2, 2), '$[*].id')", is: "[3]")
    #expect(try await daemon.tried("SELECT accounts.show('eve')") == "SD404 account")
  }
}
