import Foundation
import Postgres
import TestSupport
import Testing

/// A copy of production that is started beside it with the same configuration.
@Suite("A copied database", .timeLimit(.minutes(5))) struct CopyTests {
  /// A database with all external calls and payments of a daemon, and a provider.
  private struct World {
    let database: SettledDatabase
    let provider: FakeProvider
    let owner: Connection

    init(_ database: SettledDatabase, _ provider: FakeProvider) async throws {
      self.database = database
      self.provider = provider
      owner = try await database.connect()
    }

    func daemon(_ node: String = "production", state: ScratchDirectory) throws -> SettledProcess {
      let own = [
        "SETTLED_STATE_DIRECTORY": state.path, "SETTLED_STRAVA_OAUTH_BASE": provider.url,
        "SETTLED_STRAVA_CLIENT_ID": provider.clientId, "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
        "SETTLED_TOKEN_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        "SETTLED_SCHEDULES_DATABASE_URL": database.database.url(user: "settled_schedule"),
      ]
      return try SettledProcess.daemon(database, node: node, SettledProcess.adminsAreOurs.merging(own) { $1 })
    }

    func number(_ statement: Statement) async throws -> Int64 { try await owner.query(statement).one(Int64.self) }

    func text(_ statement: Statement) async throws -> String { try await owner.query(statement).one(String.self) }

    var installation: String { get async throws { try await text("SELECT id::text FROM settled.installation") } }

    var connection: String {
      get async throws {
        try await text(
          "SELECT status || coalesce(' ' || reason, '') FROM strava.connection ORDER BY athlete_id LIMIT 1")
      }
    }

    /// Work of each kind falls due.
    func makeDue() async throws -> [Int64] {
      try await owner.execute("DELETE FROM ops.effect")
      try await endToken()
      return try await Herd(races: 3, entries: 4).write(owner)
    }

    /// The tokens are due for a refresh, as 15 minutes after the last one.
    func endToken() async throws {
      try await owner.execute(
        """
        UPDATE strava.connection SET next_call_at = settled.clock(), refreshed_at = NULL
        """)
    }

    func effects() async throws -> Int64 { try await number("SELECT count(*) FROM ops.effect") }

    func complete(_ app: Connection) async throws {
      try await app.execute("SELECT racing.complete_withdrawal(max(p.id)) FROM racing.posting AS p")
    }
  }

  /// A production whose daemon has met its database, with an athlete who is connected, a withdrawal that waits, and a
  /// schedule of SQL that ticks each second. No session is left.
  private static func production() async throws -> (World, ScratchDirectory) {
    let world = try await World(try await SettledDatabase.real(), try await FakeProvider())
    let athlete = try await world.number("SELECT racing.create_athlete('Ann')")
    let code = try await world.provider.authorize(1000)
    try await world.owner.script(
      """
      SELECT settled.set('racing.results_grace', '1s'); SELECT settled.set('racing.entry_cutoff', '0s');
      CREATE SCHEMA ops; CREATE TABLE ops.effect (at timestamptz NOT NULL DEFAULT clock_timestamp());
      GRANT USAGE ON SCHEMA ops TO settled_schedule; GRANT INSERT ON ops.effect TO settled_schedule;
      CREATE FUNCTION ops.tick() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.effect DEFAULT VALUES';
      SELECT racing.connect_strava(\(athlete), '\(code)', '\(FakeProvider.scopes)');
      SELECT racing.deposit(\(athlete), 5000, 'd'); SELECT racing.withdraw(\(athlete), 2000, 'w');
      """)
    let state = try ScratchDirectory()
    let daemon = try world.daemon(state: state)
    try await untilTrue("the connection") { try await world.connection == "active" }
    let tick = ["schedule", "add", "tick", "--cron", "* * * * * *", "--call", "ops.tick", "--zone", "UTC"]
    let added = try await daemon.settlectl(tick)
    #expect(added.exit == .code(0), "\(added.errors)")
    try await untilTrue("a tick") { try await world.effects() > 0 }
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    return (world, state)
  }

  @Test func `a copy makes no call, runs no SQL and pays nothing until an operator answers which database continues`()
    async throws
  {
    let (production, state) = try await Self.production()
    await production.owner.close()
    let template = try await TestCluster.shared.database(template: production.database.database.name)
    let dump = try await TestCluster.shared.database()
    try Dump.copy(from: production.database.url(.owner), to: dump.url())
    let original = try await World(production.database, production.provider)
    let installation = try await original.installation
    let running = try original.daemon(state: state)
    try await running.log("ready")

    // By template: it is a copy, which forgets the tokens of its original.
    let copy = try await World(SettledDatabase(database: template), original.provider)
    let (copied, races) = try await stopped(copy)
    let forked = try await copied.settlectl("restore", "fork", "--reason", "for trying things out")
    #expect(forked.exit == .code(0), "\(forked)")
    #expect(try await copy.connection == "needs_reauth fork")
    #expect(try await copy.installation != installation)
    #expect(try await copy.number("SELECT count(*) FROM strava.secret") == 0)
    try await goesOn(copy, races)
    #expect(try await original.provider.report().refreshes == 0)
    copied.terminate()
    #expect(try await copied.exit() == .code(0))

    // The original never notices.
    #expect(try await running.settlectl("status").output.contains("READY"))
    try await original.endToken()
    try await untilTrue("the original's refresh") { try await original.provider.report().refreshes == 1 }
    #expect(try await original.installation == installation)
    #expect(try await original.connection == "active")
    running.terminate()
    #expect(try await running.exit() == .code(0))

    // By pg_dump: the original is gone, and the database continues here.
    let moved = try await World(SettledDatabase(database: dump), original.provider)
    let (mover, more) = try await stopped(moved)
    let accepted = try await mover.settlectl("restore", "accept", "--reason", "the server moved")
    #expect(accepted.exit == .code(0), "\(accepted)")
    #expect(try await moved.installation == installation)
    try await goesOn(moved, more)
    try await untilTrue("an external call") { try await original.provider.report().refreshes == 2 }
    mover.terminate()
    #expect(try await mover.exit() == .code(0))
  }

  /// A daemon on a copy with an empty state directory, and due work that it does not do.
  private func stopped(_ copy: World) async throws -> (SettledProcess, [Int64]) {
    let calls = try await copy.provider.report().calls
    let races = try await copy.makeDue()
    let daemon = try copy.daemon(state: try ScratchDirectory())
    try await daemon.log("ready")
    try await untilTrue("the problem") {
      try await daemon.settlectl("status", "--json").output.contains("settlectl restore fork")
    }
    for job in ["race-settlement", "token-refresh"] {
      let run = try await daemon.settlectl("job", "run", job)
      #expect(run.exit == .code(1) && run.errors.contains("rule restore"), "\(run.errors)")
    }
    // Other work continues: the ticks are planned, and events are numbered.
    try await copy.owner.execute("SELECT settled.emit('test', 'a', '{}', settled.clock())")
    try await untilTrue("the numbering of events") {
      try await copy.number("SELECT count(*) FROM settled.event_pending") == 0
    }
    let refusal = await #expect(throws: PostgresError.self) { try await copy.complete(copy.owner) }
    #expect(refusal?.sqlState == "SD503")
    #expect(try await copy.effects() == 0)
    #expect(try await copy.number("SELECT count(*) FROM racing.race WHERE status = 'settled'") == 0)
    #expect(try await copy.provider.report().calls == calls)
    return (daemon, races)
  }

  /// Everything that had waited.
  private func goesOn(_ copy: World, _ races: [Int64]) async throws {
    try await copy.owner.waitUntilSettled(races)
    try await untilTrue("a tick") { try await copy.effects() > 0 }
    try await copy.owner.execute(
      """
      SELECT racing.complete_withdrawal(p.id) FROM racing.posting AS p JOIN racing.journal AS j ON j.id = p.journal_id
      WHERE j.kind = 'withdrawal' AND p.account = 'wallet' AND p.amount_pence < 0
      """)
    try await Books.check(copy.owner)
  }

  @Test func `a copied data directory is reported, and migrate --fork gives it an identity before its first daemon`()
    async throws
  {
    let (world, _) = try await Self.production()
    let installation = try await world.installation
    try await world.owner.execute("UPDATE settled.node SET last_seen_at = last_seen_at - interval '1 hour'")
    let daemon = try world.daemon("elsewhere", state: try ScratchDirectory())
    try await daemon.log("ready")
    try await untilTrue("the problem") {
      try await daemon.settlectl("status", "--json").output.contains("settled migrate --fork")
    }
    let url = world.database.url(.owner)
    let refused = try await SettledProcess.run(["migrate", "--fork", "--database-url", url])
    #expect(refused.exit == .code(1) && refused.errors.contains("a daemon is connected"), "\(refused.errors)")
    #expect(try await world.connection == "active")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))

    let forked = try await SettledProcess.run(["migrate", "--fork", "--database-url", url])
    #expect(forked.exit == .code(0), "\(forked.errors)")
    #expect(try await world.connection == "needs_reauth fork")
    #expect(try await world.installation != installation)
    let next = try world.daemon("next", state: try ScratchDirectory())
    try await next.log("ready")
    let status = try await next.settlectl("status", "--json")
    #expect(!status.output.contains("restore") && !status.output.contains("fork"), "\(status.output)")
    #expect(try await world.provider.report().refreshes == 0)
    next.terminate()
    #expect(try await next.exit() == .code(0))
  }
}
