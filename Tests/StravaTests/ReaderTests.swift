import Postgres
import TestSupport
import Testing

/// The takers of what is read: functions that another module has registered.
@Suite("The reader of activities") struct ReaderTests {
  private func name(_ owner: Connection) async throws -> String? {
    try await owner.query("SELECT strava.own_name(take_streams) FROM strava.reader").one(String?.self)
  }

  private static func register(_ streams: String) -> Statement {
    """
    SELECT strava.register_reader('racing.take_listing(bigint, jsonb)',
      'racing.take_activity(bigint, bigint, text, jsonb, integer, timestamptz)', \(streams),
      'racing.end_read(bigint, text, bigint, jsonb)')
    """
  }

  /// Nothing is taken of anybody without a connection.
  private func connected(_ owner: Connection) async throws -> Int64 {
    let athlete = try await owner.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    _ = try await owner.query("SELECT racing.connect_strava(\(athlete), 'code', 'read')")
    return athlete
  }

  /// The rule that refuses it; nil where nobody does.
  private func refusal(of athlete: Int64, _ session: Connection) async throws -> String? {
    try await session.query("SELECT strava.hand_over('take_streams', \(athlete), '{\"stravaId\": 7}')")
      .one(String?.self)
  }

  @Test func `the reader is registered by the schema itself, and by nobody but its owner`() async throws {
    let database = try await SettledDatabase.simulated()
    let owner = try await database.connect()
    #expect(try await name(owner) == "racing.take_streams")
    for role in [SettledDatabase.Role.app, .daemon] {
      let session = try await database.connect(role)
      for statement in [
        Self.register("racing.take_streams(bigint, jsonb)"),
        "UPDATE strava.reader SET take_streams = 'public.keep(bigint, jsonb)'", "DELETE FROM strava.reader",
        "INSERT INTO strava.reader (take_listing, take_activity, take_streams, end_read) VALUES ('', '', '', '')",
      ] as [Statement] {
        let error = await #expect(throws: PostgresError.self) { try await session.execute(statement) }
        #expect(error?.sqlState == "42501")
      }
    }
  }

  @Test(arguments: ["<html>", "", "{", "[1]", "null", #"{"time": {"data": [1]}, "x": "\ud800"}"#])
  func `streams that are no JSON object are unreadable, and the request stays`(answer: String) async throws {
    let owner = try await SettledDatabase.simulated().connect()
    let athlete = try await owner.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    try await owner.script(
      """
      SELECT racing.connect_strava(\(athlete), 'code', 'read,activity:read_all');
      SELECT strava.ask_streams(\(athlete), 7, '{"stravaId": 7}', settled.clock() + interval '1 hour', 0)
      """)
    let kept = try await owner.query(
      "SELECT strava.write_streams(id, settled.clock(), \(answer)) FROM strava.read_request"
    ).one(String?.self)
    #expect(kept == "unreadable")
    #expect(try await owner.query("SELECT FROM strava.read_request").count == 1)
  }

  @Test func `the reader must be an existing function of the owner with the right signature`() async throws {
    let owner = try await SettledDatabase.simulated().connect()
    try await owner.script(
      """
      CREATE FUNCTION public.keep(bigint, jsonb) RETURNS void LANGUAGE sql AS '';
      """)
    for streams in [
      "public.keep(bigint, jsonb)", "racing.import_activity(bigint)", "racing.import_activity(bigint, jsonb)",
      "racing.deposit(bigint, bigint, text)", "nowhere.f(bigint, jsonb)", "'; DROP TABLE racing.race; --",
    ] {
      let error = await #expect(throws: PostgresError.self, "\(streams)") {
        try await owner.execute(Self.register(streams))
      }
      #expect(error != nil)
    }
    #expect(try await name(owner) == "racing.take_streams")
  }

  @Test func `the reader is not called once it belongs to another role, under any name`() async throws {
    let owner = try await SettledDatabase.simulated().connect()
    let athlete = try await connected(owner)
    #expect(try await refusal(of: athlete, owner) == "name")
    try await owner.execute("ALTER FUNCTION racing.take_streams OWNER TO settled_daemon")
    #expect(try await name(owner) == nil)
    #expect(try await refusal(of: athlete, owner) == nil)
  }

  @Test func `the reader runs with the rights of the caller, which are the daemon's`() async throws {
    let database = try await SettledDatabase.simulated()
    let daemon = try await database.connect(.daemon)
    let owner = try await database.connect()
    let athlete = try await connected(owner)
    #expect(try await refusal(of: athlete, daemon) == "name")
    let definers = try await owner.query(
      "SELECT count(*) FROM pg_proc WHERE oid = 'strava.hand_over(text, bigint, jsonb)'::regprocedure AND prosecdef"
    ).one(Int64.self)
    #expect(definers == 0)
  }

  @Test func `a read that fails while the provider answers others waits for hours, and at last for a day`() async throws
  {
    let owner = try await SettledDatabase.simulated().connect()
    let athlete = try await connected(owner)
    _ = try await owner.query(
      "SELECT strava.ask_activity(\(athlete), 7, settled.clock() + interval '7 days', 1)")
    try await owner.execute("UPDATE strava.read_request SET next_call_at = NULL")
    var waits: [Double?] = []
    for _ in 0..<9 {
      waits.append(
        try await owner.query(
          """
          WITH failed AS (SELECT strava.fail_read(id, 'unreadable', false) FROM strava.read_request)
          SELECT count(*) FROM failed
          """
        ).one(Int64.self) == 1
          ? try await owner.query(
            "SELECT extract(epoch FROM next_call_at - settled.clock())::double precision FROM strava.read_request"
          ).one(Double?.self) : nil)
      try await owner.execute("UPDATE strava.read_request SET next_call_at = NULL")
    }
    #expect(waits == [nil, nil, 3600, 7200, 14400, 28800, 57600, 86400, 86400])
    // A provider that fails everybody says nothing of the athlete.
    _ = try await owner.query("SELECT strava.fail_read(id, 'server', true) FROM strava.read_request")
    #expect(try await owner.query("SELECT next_call_at IS NULL FROM strava.read_request").one(Bool.self))
  }
}
