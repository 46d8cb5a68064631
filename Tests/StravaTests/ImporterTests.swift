import Postgres
import TestSupport
import Testing

/// The takers of what is fetched: two functions that another module has registered.
@Suite("The importer of activities") struct ImporterTests {
  private static let activity: Statement = "'{\"stravaId\": 7}'::jsonb"

  private func name(_ owner: Connection) async throws -> String? {
    try await owner.query("SELECT strava.importer_name(keep) FROM strava.importer").one(String?.self)
  }

  /// The rule that refuses it; nil where nobody does.
  private func refusal(of athlete: Int64, _ session: Connection) async throws -> String? {
    try await session.query("SELECT strava.keep_activity(\(athlete), \(fragment: Self.activity))").one(String?.self)
  }

  @Test func `the importer is registered by the schema itself, and by nobody but its owner`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    #expect(try await name(owner) == "racing.keep_fetched")
    for role in [SettledDatabase.Role.app, .daemon] {
      let session = try await database.connect(role)
      for statement in [
        "SELECT strava.register_importer('racing.wanted_activities(jsonb)', 'racing.keep_fetched(bigint, jsonb)')",
        "UPDATE strava.importer SET keep = 'public.keep(bigint, jsonb)'", "DELETE FROM strava.importer",
        "INSERT INTO strava.importer (wanted, keep) VALUES ('', '')",
      ] as [Statement] {
        let error = await #expect(throws: PostgresError.self) { try await session.execute(statement) }
        #expect(error?.sqlState == "42501")
      }
    }
  }

  @Test(arguments: ["<html>", "", "{", "[1]", "null", #"{"time": {"data": [1]}, "x": "\ud800"}"#])
  func `streams that are no JSON object are unreadable, and nothing is kept`(answer: String) async throws {
    let owner = try await SettledDatabase.simulated().connect()
    let athlete = try await owner.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    try await owner.script(
      """
      SELECT racing.connect_strava(\(athlete), 'code', 'read,activity:read_all');
      INSERT INTO strava.found_activity (athlete_id, activity_id, summary, found_at, until_at)
        VALUES (\(athlete), 7, '{"stravaId": 7}', now(), now())
      """)
    let kept = try await owner.query("SELECT strava.keep_found(\(athlete), 7, \(answer))").one(String?.self)
    #expect(kept == "unreadable")
    #expect(try await owner.query("SELECT FROM strava.found_activity").count == 1)
  }

  @Test func `the importer must be an existing function of the owner with the right signature`() async throws {
    let owner = try await SettledDatabase.simulated().connect()
    try await owner.script(
      """
      CREATE FUNCTION public.keep(bigint, jsonb) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
      """)
    for keep in [
      "public.keep(bigint, jsonb)", "racing.import_activity(bigint)", "racing.wanted_activities(jsonb)",
      "racing.deposit(bigint, bigint, text)", "nowhere.f(bigint, jsonb)", "'; DROP TABLE racing.race; --",
    ] {
      let error = await #expect(throws: PostgresError.self, "\(keep)") {
        try await owner.execute("SELECT strava.register_importer('racing.wanted_activities(jsonb)', \(keep))")
      }
      #expect(error != nil)
    }
    #expect(try await name(owner) == "racing.keep_fetched")
  }

  @Test func `the importer is not called once it belongs to another role, under any name`() async throws {
    let owner = try await SettledDatabase.simulated().connect()
    let athlete = try await owner.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    #expect(try await refusal(of: athlete, owner) == "name")
    try await owner.execute("ALTER FUNCTION racing.keep_fetched OWNER TO settled_daemon")
    #expect(try await name(owner) == nil)
    #expect(try await refusal(of: athlete, owner) == nil)
    try await owner.execute("ALTER FUNCTION racing.wanted_activities OWNER TO settled_daemon")
    let wanted: Statement = """
      SELECT cardinality(strava.wanted_activities('[{"stravaId": 7, "activityType": "Kayaking"}]'))::bigint
      """
    #expect(try await owner.query(wanted).one(Int64.self) == 0)
    try await owner.execute("ALTER FUNCTION racing.wanted_activities OWNER TO settled_owner")
    #expect(try await owner.query(wanted).one(Int64.self) == 1)
  }

  @Test func `the importer runs with the rights of the caller, which are the daemon's`() async throws {
    let database = try await SettledDatabase.simulated()
    let daemon = try await database.connect(.daemon)
    let owner = try await database.connect()
    let athlete = try await owner.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    #expect(try await refusal(of: athlete, daemon) == "name")
    let isDefiner = try await owner.query(
      "SELECT count(*) FROM pg_proc WHERE oid = 'strava.keep_activity(bigint, jsonb)'::regprocedure AND prosecdef"
    ).one(Int64.self)
    #expect(isDefiner == 0)
  }
}
