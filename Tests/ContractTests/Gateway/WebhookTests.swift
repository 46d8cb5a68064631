import Postgres
import TestSupport
import Testing

/// Hints as the gateway hands them in; whoever sends them may know the path, and lie.
@Suite("A hint of the provider") struct WebhookTests {
  private let course: Course
  private let gateway: Connection
  private let athlete: Int64

  /// An active connection with account 77, a subscription with number 9 and the path `p`, and an activity 500.
  init() async throws {
    course = try await Course()
    gateway = try await course.database.connect(.gateway)
    athlete = try await course.athlete(pence: 0)
    _ = try await course.outing(athlete, stravaId: 500, at: "2031-06-02T08:00:00Z")
    try await course.session.script(
      """
      SELECT settled.set('racing.proof', 'on');
      SELECT strava.begin_subscription('https://x', sha256('p'), sha256('v'));
      SELECT strava.confirm_subscription(sha256('p'), 9);
      """)
    try await give(account: 77)
  }

  /// The provider gives tokens for the code, or new ones.
  private func give(account: Int64? = nil) async throws {
    let attempt: Statement = account == nil ? "NULL" : "c.attempt"
    _ = try await course.session.query(
      """
      SELECT k.outcome FROM strava.connection AS c, strava.keep_tokens(c.athlete_id, c.tokens_given, \(fragment: attempt),
        \(account), 'key', '\\x00', 'at', settled.clock() + interval '6 hours', settled.clock() + interval '5 hours') AS k
      WHERE c.athlete_id = \(athlete)
      """)
  }

  private func refuse() async throws -> String? {
    try await course.session.query(
      "SELECT strava.refuse(\(athlete), c.tokens_given, NULL) FROM strava.connection AS c WHERE c.athlete_id = \(athlete)"
    ).one(String?.self)
  }

  /// A hint whose members a test changes by name, as JSON.
  private static func hint(_ aspect: String, _ more: [String: String] = [:]) -> String {
    let own = [
      "object_type": #""activity""#, "object_id": "500", "aspect_type": "\"\(aspect)\"", "owner_id": "77",
      "subscription_id": "9", "event_time": "1938157200", "updates": "{}",
    ]
    let members = own.merging(more) { $1 }.sorted { $0.key < $1.key }
    return "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
  }

  private static func withdrawal(_ more: [String: String] = [:]) -> String {
    hint(
      "update",
      ["object_type": #""athlete""#, "object_id": "77", "updates": #"{"authorized": "false"}"#].merging(more) { $1 })
  }

  @discardableResult
  private func take(_ hint: String, path: String = "p") async throws -> String {
    try await outcome {
      _ = try await gateway.query("SELECT gateway.take_hint(sha256(\(path)::text::bytea), \(hint)::text::jsonb)")
    }
  }

  /// The hints that are kept, and the reads that are asked for.
  private func kept() async throws -> String {
    try await course.session.query(
      """
      SELECT concat_ws('; ',
        (SELECT string_agg(format('%s %s', h.kind, h.object_id), ', ' ORDER BY h.kind, h.object_id) FROM strava.hint AS h),
        (SELECT string_agg(format('read %s %s of class %s', r.kind, r.activity_id, r.class), ', ' ORDER BY r.kind, r.activity_id)
          FROM strava.read_request AS r))
      """
    ).one(String.self)
  }

  private func forget() async throws { try await course.session.run("DELETE FROM strava.read_request") }

  private func connection() async throws -> String {
    try await course.session.query(
      """
      SELECT concat_ws(' ', c.status, c.reason, 'doubted at ' || c.doubted_generation, c.provider_athlete_id)
      FROM strava.connection AS c WHERE c.athlete_id = \(athlete)
      """
    ).one(String.self)
  }

  @Test func `a hint keeps one row, and asks for one read of the lowest class`() async throws {
    #expect(try await take(Self.hint("create", ["object_id": "501"])) == "ok")
    #expect(try await kept() == "create 501; read listing 0 of class 3")
    let span = try await course.session.query(
      "SELECT concat_ws(' ', settled.iso(since), settled.iso(before)) FROM strava.read_request"
    ).one(String.self)
    #expect(span == "2031-06-01T00:00:00.000Z 2031-06-03T00:00:00.000Z")
    try await forget()
    #expect(try await take(Self.hint("update")) == "ok")
    #expect(try await take(Self.hint("delete")) == "ok")
    #expect(try await kept() == "create 501, delete 500, update 500; read activity 500 of class 3")
  }

  @Test func `a hint that is replayed, or older than another of its kind, asks for nothing`() async throws {
    try await take(Self.hint("update"))
    try await forget()
    try await take(Self.hint("update"))
    try await take(Self.hint("update", ["event_time": "1938157199"]))
    #expect(try await kept() == "update 500")
    // Another change of the same second, and a later one.
    try await take(Self.hint("update", ["updates": #"{"title": "x"}"#]))
    #expect(try await kept() == "update 500; read activity 500 of class 3")
    try await forget()
    try await course.database.setClock("2031-06-02T09:00:01Z")
    try await take(Self.hint("update", ["event_time": "1938157201"]))
    #expect(try await kept() == "update 500; read activity 500 of class 3")
  }

  @Test func `a forged time ahead of the clock does not keep later hints out`() async throws {
    try await take(Self.hint("update", ["event_time": "9999999999"]))
    try await forget()
    try await course.database.setClock("2031-06-02T09:00:01Z")
    try await take(Self.hint("update", ["event_time": "1938157201"]))
    #expect(try await kept() == "update 500; read activity 500 of class 3")
  }

  @Test(arguments: [
    ["subscription_id": "8"], ["owner_id": "78"], ["aspect_type": #""rename""#], ["object_type": #""club""#],
    ["object_id": "999"], ["event_time": "1937000000"], ["event_time": "0"],
    ["object_type": #""athlete""#, "object_id": "78", "updates": #"{"authorized": "false"}"#],
    ["object_type": #""athlete""#, "object_id": "77", "updates": #"{"authorized": "true"}"#],
    ["object_type": #""athlete""#, "updates": "[]"],
  ]) func `a hint of what is unknown is answered and forgotten`(_ more: [String: String]) async throws {
    #expect(try await take(Self.hint("update", more)) == "ok")
    #expect(try await kept() == "")
    #expect(try await connection() == "active 77")
  }

  @Test func `a hint to an unknown path is refused, and one that is malformed names its member`() async throws {
    #expect(try await take(Self.hint("update"), path: "q") == "SD404 path")
    for member in ["object_id", "owner_id", "subscription_id", "event_time"] {
      for value in [#""500""#, "-1", "1.5", "null", "1e30", "[1]"] {
        #expect(try await take(Self.hint("update", [member: value])) == "SD400 \(member)", "\(member) \(value)")
      }
    }
    for member in ["object_type", "aspect_type"] {
      #expect(try await take(Self.hint("update", [member: "5"])) == "SD400 \(member)")
    }
    #expect(try await take("[]") == "SD400 body")
    #expect(try await kept() == "")
  }

  @Test func `hints of activities are not followed while proof is off`() async throws {
    try await course.session.run("SELECT settled.set('racing.proof', 'off')")
    for aspect in ["create", "update", "delete"] { try await take(Self.hint(aspect)) }
    #expect(try await kept() == "")
    try await take(Self.withdrawal())
    #expect(try await connection() == "active doubted at 1 77")
  }

  @Test func `a flood of hints keeps at most 1,000 rows of an athlete, for 7 days`() async throws {
    try await course.session.script(
      """
      INSERT INTO strava.hint SELECT \(athlete), 'create', n, settled.clock(), 'd', settled.clock()
        FROM generate_series(1, 999) AS n
      """)
    try await take(Self.hint("create", ["object_id": "2000"]))
    try await take(Self.hint("create", ["object_id": "2001"]))
    try await take(Self.hint("update"))
    #expect(try await course.session.value("SELECT count(*) FROM strava.hint") == 1000)
    #expect(try await course.session.value("SELECT count(*) FROM strava.hint WHERE object_id = 2000") == 1)
    // One that is there is still followed.
    try await forget()
    try await take(Self.hint("create", ["object_id": "2000", "updates": #"{"title": "x"}"#]))
    #expect(try await kept().hasSuffix("; read listing 0 of class 3"))
    try await course.database.setClock("2031-06-09T09:00:01Z")
    #expect(try await course.session.query("SELECT strava.prune_hints()").one(Int64.self) == 1000)
  }

  @Test func `a hint does not widen a listing that waits for a claim`() async throws {
    _ = try await course.session.query(
      """
      SELECT strava.ask_listing(\(athlete), settled.clock() - interval '1 hour', settled.clock(),
        settled.clock() + interval '1 day', 1)
      """)
    let before = try await course.session.query("SELECT to_jsonb(r) FROM strava.read_request AS r").one(JSON.self)
    try await take(Self.hint("create"))
    #expect(try await course.session.query("SELECT to_jsonb(r) FROM strava.read_request AS r").one(JSON.self) == before)
  }

  @Test func `a withdrawn grant is believed when the provider refuses the token`() async throws {
    try await take(Self.withdrawal())
    #expect(try await connection() == "active doubted at 1 77")
    #expect(try await refuse() == "revoked")
    #expect(try await connection() == "revoked")
    #expect(try await course.session.value("SELECT count(*) FROM strava.secret") == 0)
    #expect(try await course.session.value("SELECT count(*) FROM strava.access") == 0)
    let event = try await course.session.query(
      "SELECT topic || ' ' || payload::text FROM settled.event_pending WHERE topic LIKE 'strava.%' ORDER BY id DESC LIMIT 1"
    ).one(String.self)
    #expect(event == "strava.revoked {\"athleteId\": \(athlete)}")
  }

  @Test func `a forged withdrawal costs one refresh, and a given token ends the doubt`() async throws {
    let due = try await course.session.query("SELECT settled.iso(next_call_at) FROM strava.connection").one(String.self)
    try await take(Self.withdrawal())
    // The last refresh was just now: the next one is 15 minutes later, also when more hints come.
    for second in 1...3 {
      try await course.database.setClock("2031-06-02T09:00:0\(second)Z")
      try await take(Self.withdrawal(["event_time": "\(1_938_157_200 + second)"]))
    }
    #expect(
      try await course.session.query("SELECT settled.iso(next_call_at) FROM strava.connection").one(String.self)
        == "2031-06-02T09:15:00.000Z")
    try await course.database.setClock("2031-06-02T09:15:00Z")
    try await give()
    #expect(try await connection() == "active 77")
    #expect(due == "2031-06-02T14:00:00.000Z")
    // A later end of the grant is no withdrawal that was named.
    #expect(try await refuse() == "grant")
    #expect(try await connection() == "needs_reauth grant 77")
  }

  @Test func `a refresh that was under way when the grant was doubted does not end the doubt`() async throws {
    try await course.session.run(
      """
      INSERT INTO settled.lease (job, key, owner, taken_at) VALUES ('token-refresh', '\(athlete)', 'n', clock_timestamp())
      """)
    try await take(Self.withdrawal())
    #expect(try await connection() == "active doubted at 2 77")
    try await course.session.run("DELETE FROM settled.lease")
    try await give()
    #expect(try await connection() == "active doubted at 2 77")
    #expect(
      try await course.session.query("SELECT settled.iso(next_call_at) FROM strava.connection").one(String.self)
        == "2031-06-02T09:15:00.000Z")
    #expect(try await refuse() == "revoked")
  }

  @Test func `a lost reply does not count as a withdrawn grant, also when a hint names one`() async throws {
    try await course.session.run(
      "SELECT strava.note_failure(\(athlete), 1, NULL, 'lost', true, true)")
    try await take(Self.withdrawal())
    #expect(try await refuse() == "lost-reply")
    #expect(try await connection() == "needs_reauth lost-reply doubted at 1 77")
    // Signing in again ends the doubt.
    try await course.session.run("SELECT racing.connect_strava(\(athlete), 'again', 'read')")
    #expect(try await connection() == "connecting 77")
  }

  @Test func `a grant that was refused before its hint came is revoked at once`() async throws {
    #expect(try await refuse() == "grant")
    try await take(Self.withdrawal(["object_id": "78"]))
    #expect(try await connection() == "needs_reauth grant 77")
    try await take(Self.withdrawal())
    #expect(try await connection() == "revoked")
  }

  @Test func `the end of a grant that waits for a sign-in leaves it`() async throws {
    func codes() async throws -> Int64 {
      try await course.session.query("SELECT count(*) FROM strava.secret WHERE kind = 'code'").one(Int64.self)
    }
    let signIn = "SELECT racing.connect_strava(\(athlete), 'again', 'read')"
    // A hint of a grant that was refused before.
    #expect(try await refuse() == "grant")
    let hint = "SELECT gateway.take_hint(sha256('p'), '\(Self.withdrawal())')"
    #expect(try await course.calls([hint], as: .gateway, heldBy: signIn) == ["ok"])
    #expect(try await connection() == "connecting 77")
    #expect(try await codes() == 1)
    // A refusal of a grant that a hint has named.
    try await give(account: 77)
    try await take(Self.withdrawal(["event_time": "1938157201"]))
    #expect(try await connection() == "active doubted at 2 77")
    let refusal = "SELECT strava.refuse(\(athlete), 2, NULL)"
    #expect(try await course.calls([refusal], as: .daemon, heldBy: signIn) == ["ok"])
    #expect(try await connection() == "connecting 77")
    #expect(try await codes() == 1)
    #expect(
      try await course.session.query("SELECT count(*) FROM settled.event_pending WHERE topic = 'strava.revoked'")
        .one(Int64.self) == 0)
  }

  @Test func `a challenge comes back only with the path and the verify token of the subscription`() async throws {
    func confirm(_ path: String, _ token: String, mode: String = "subscribe", challenge: String = "c") async throws
      -> String
    {
      try await outcome {
        _ = try await gateway.query(
          """
          SELECT gateway.confirm_webhook(sha256(\(path)::text::bytea), sha256(\(token)::text::bytea), \(mode), \(challenge))
          """)
      }
    }
    #expect(try await confirm("p", "v") == "ok")
    #expect(try await confirm("q", "v") == "SD404 path")
    #expect(try await confirm("p", "w") == "SD403 verify-token")
    #expect(try await confirm("p", "v", mode: "unsubscribe") == "SD400 hub.mode")
    #expect(try await confirm("p", "v", challenge: "") == "SD400 hub.challenge")
    #expect(try await confirm("p", "v", challenge: String(repeating: "c", count: 256)) == "SD400 hub.challenge")
  }

  @Test func `an app, a reader and the gateway's role neither read nor write what webhooks keep`() async throws {
    let statements = [
      "SELECT strava.take_hint('{}')", "SELECT strava.begin_subscription('x', sha256('p'), sha256('v'))",
      "SELECT strava.confirm_subscription(sha256('p'), 1)", "SELECT strava.end_subscription(sha256('p'))",
      "SELECT strava.end_grant(1, 1, true)", "SELECT strava.doubt_grant(1)", "SELECT strava.refuse(1, 1, NULL)",
      "SELECT strava.register_hint_taker('a', 'b')", "SELECT path_digest FROM strava.subscription",
      "UPDATE strava.connection SET doubted_generation = 1", "DELETE FROM strava.subscription",
      "INSERT INTO strava.hint VALUES (1, 'revoke', 1, now(), 'd', now())",
    ]
    for role in [SettledDatabase.Role.app, .gateway] {
      let session = try await course.database.connect(role)
      for statement in statements {
        try await expectServerError("42501", "\(statement)") { try await session.run(statement) }
      }
    }
    let app = try await course.database.connect(.app)
    try await expectServerError("42501") {
      try await app.run("SELECT gateway.take_hint(sha256('p'), '\(Self.withdrawal())')")
    }
    #expect(try await connection() == "active 77")
  }

  @Test func `a copy of the database forgets the subscription, and an erased athlete the hints`() async throws {
    try await take(Self.hint("update"))
    _ = try await course.session.query("SELECT racing.erase_athlete(\(athlete))")
    #expect(try await course.session.value("SELECT count(*) FROM strava.hint") == 0)
    _ = try await course.session.query("SELECT strava.fork()")
    #expect(try await course.session.value("SELECT count(*) FROM strava.subscription") == 0)
    #expect(try await take(Self.hint("update")) == "SD404 path")
  }
}
