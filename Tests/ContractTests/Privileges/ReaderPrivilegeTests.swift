import Postgres
import TestSupport
import Testing

@Suite("settled_reader") struct ReaderPrivilegeTests {
  private func reader() async throws -> (owner: Connection, reader: Connection) {
    let database = try await SettledDatabase.simulated()
    let (owner, reader) = (try await database.connect(), try await database.connect())
    try await reader.run("SET SESSION AUTHORIZATION settled_reader")
    return (owner, reader)
  }

  /// These columns describe calls, and hold no secret.
  private static let openOfStrava = [
    "strava.lost_reply", "strava.call_error", "strava.provider", "strava.race_period",
    "strava.import_request", "strava.hint",
  ]

  @Test func `settled_reader sees only the columns of connections that are not secret`() async throws {
    let (owner, reader) = try await reader()
    let seen = try await owner.value(
      """
      SELECT array_agg(c.oid::regclass::text || '.' || a.attname) FROM pg_attribute a
      JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = 'strava'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0
        AND NOT a.attisdropped AND has_column_privilege('settled_reader', c.oid, a.attnum, 'SELECT')
        AND c.oid::regclass::text <> ALL ('{\(Self.openOfStrava.joined(separator: ","))}')
      """, as: [String].self)
    let open = [
      "athlete_id", "status", "missing_scopes", "changed_at", "provider_athlete_id", "reason", "expires_at",
      "next_call_at", "refreshed_at",
    ].map { "strava.connection.\($0)" }
    let ofSubscription = ["callback", "asked_at", "subscription_id", "confirmed_at"].map { "strava.subscription.\($0)" }
    let openOfReads = [
      "id", "athlete_id", "kind", "activity_id", "class", "turn", "asked_at", "next_call_at", "until_at",
      "follows_switch", "since", "before", "page", "began_at",
    ].map { "strava.read_request.\($0)" }
    #expect(Set(seen) == Set(open + openOfReads + ofSubscription))
    try await reader.run("SELECT athlete_id, changed_at, missing_scopes, status FROM strava.connection")
    for statement in [
      "SELECT * FROM strava.connection", "SELECT * FROM strava.secret", "SELECT secret FROM strava.secret",
      "SELECT 1 FROM strava.secret WHERE secret IS NOT NULL", "SELECT c FROM strava.connection c",
      "SELECT token FROM strava.access", "SELECT count(*) FROM strava.access",
      "SELECT path_digest FROM strava.subscription", "SELECT * FROM strava.subscription",
    ] {
      try await expectServerError("42501", "\(statement)") { try await reader.run(statement) }
    }
  }

  @Test func `settled_reader sees no column with secret in its name, in any schema`() async throws {
    let (owner, _) = try await reader()
    let suspicious = try await owner.value(
      """
      SELECT coalesce(array_agg(c.oid::regclass::text || '.' || a.attname), '{}') FROM pg_attribute a
      JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace IN \(Catalogue.schemas) AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0
        AND NOT a.attisdropped AND a.attname ~ '(code|token|secret|password|cipher|credential)'
        AND has_column_privilege('settled_reader', c.oid, a.attnum, 'SELECT')
      """, as: [String].self)
    #expect(suspicious == [])
  }

  /// Exactly these: what the daemon reads, without the schema of secrets.
  @Test func `settled_reader reads every other table, and changes and calls nothing`() async throws {
    let (owner, reader) = try await reader()
    let all =
      DaemonPrivilegeTests.changed + DaemonPrivilegeTests.history + DaemonPrivilegeTests.owners
      + DaemonPrivilegeTests.views
    // Of requests all but their answers, which may have what only an admin is shown. Of claims all but what was sent.
    let partly = ["settled.request", "racing.claim"]
    let open = Set(all.filter { !$0.hasPrefix("strava.") && !partly.contains($0) } + Self.openOfStrava)
    try await reader.run("SELECT uid, request_id, request, at FROM settled.request")
    try await expectServerError("42501") { try await reader.run("SELECT answer FROM settled.request") }
    try await reader.run("SELECT id, athlete_id, strava_id, claimed_at, reason, rejected_at FROM racing.claim")
    try await expectServerError("42501") { try await reader.run("SELECT content FROM racing.claim") }
    #expect(Set(try await DaemonPrivilegeTests.rights(of: "settled_reader", owner).keys) == open)
    for (relation, isTable) in try await Catalogue.relations(owner) {
      if open.contains(relation) { try await reader.run("SELECT * FROM \(relation) LIMIT 1") }
      for statement in ["INSERT INTO \(relation) DEFAULT VALUES", "DELETE FROM \(relation)", "TRUNCATE \(relation)"]
      where isTable {
        try await expectServerError("42501", "\(statement)") { try await reader.run(statement) }
      }
    }
    let writes = """
      SELECT count(*) FROM pg_class c WHERE c.relnamespace IN \(Catalogue.schemas) AND c.relkind IN ('r', 'p', 'v', 'm')
        AND has_any_column_privilege('settled_reader', c.oid, 'INSERT, UPDATE, REFERENCES')
      """
    #expect(try await owner.value(writes) == 0)
    for (_, call) in try await Catalogue.calls(owner) {
      try await expectServerError("42501", "\(call)") { try await reader.run(call) }
    }
  }
}
