import Engine
import EmbeddedPostgres
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing

@Suite("Migrations") struct MigrationTests {
  private var names: [String] {
    Schema.migrations.map { String($0.path.split(separator: "/").last ?? "") }
  }

  @Test func `a new database gets everything, and a second migration does nothing`() async throws {
    let database = try await TestCluster.shared.database()
    #expect(try await MigrationFixture.state(of: database) == .older(version: 0))
    let first = try await database.migrate()
    #expect(first == Migrator.Report(applied: names, functionsChanged: true, isSimulated: false))
    let second = try await database.migrate()
    #expect(second == Migrator.Report(applied: [], functionsChanged: false, isSimulated: false))
    #expect(try await MigrationFixture.state(of: database) == .current(version: Int32(names.count)))
  }

  @Test func `the recorded checksums are those that PostgreSQL computes of the texts`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let session = try await database.connect()
    let texts = Schema.migrations.map(\.text) + [Schema.functions.map(\.text).joined(separator: "\n")]
    let expected = try await session.query(
      """
      SELECT encode(sha256(convert_to(t.body, 'UTF8')), 'hex')
      FROM unnest(\(texts)) WITH ORDINALITY AS t(body, place) ORDER BY t.place
      """
    ).decode(String.self)
    let recorded = try await session.query(
      """
      (SELECT checksum FROM settled.migration ORDER BY number) UNION ALL SELECT checksum FROM settled.function_script
      """
    ).decode(String.self)
    #expect(recorded == expected)
    await session.close()
  }

  @Test(arguments: ["SQL_ASCII", "LATIN1"]) func `a migrator refuses a database in another encoding than UTF8`(
    encoding: String
  ) async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let administrator = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await administrator.execute("CREATE DATABASE other ENCODING '\(raw: encoding)' LOCALE 'C' TEMPLATE template0")
    let options = ConnectionOptions(url: cluster.url(database: "other"))
    let error = await #expect(throws: EngineError.self) { try await Migrator().migrate(options) }
    #expect(error?.description == "the database uses \(encoding), not UTF8")
    let other = try await Connection.connect(options)
    let installed = try await other.query("SELECT to_regnamespace('settled') IS NOT NULL").one(Bool.self)
    #expect(!installed)
    for session in [administrator, other] { await session.close() }
    await cluster.stop()
  }

  @Test func `each migration step is reported before it begins, with the number of all`() async throws {
    let database = try await TestCluster.shared.database()
    let steps = Mutex<[String]>([])
    let migrator = Migrator { step in steps.withLock { $0.append(step) } }
    _ = try await migrator.migrate(database.options)
    let told = steps.withLock { $0 }
    #expect(told.count == names.count + 1)
    #expect(told.first == "applying \(names[0]) (1 of \(names.count))")
    let release = Migrations().functionRelease
    #expect(told.last == "replacing the functions and their privileges with those of release \(release)")
    _ = try await migrator.migrate(database.options)
    #expect(steps.withLock { $0 } == told)
  }

  @Test func `twenty migrators at once on one database all succeed and apply each migration once`() async throws {
    let database = try await TestCluster.shared.database()
    let reports = try await withThrowingTaskGroup(of: Migrator.Report.self) { group in
      for _ in 0..<20 { group.addTask { try await database.migrate() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reports.flatMap(\.applied).sorted() == names)
    #expect(reports.filter(\.functionsChanged).count == 1)
  }

  @Test func `twenty migrators in each of two databases of a new cluster create the roles once`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let owner = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await owner.execute("CREATE DATABASE other")
    await owner.close()
    let urls = [cluster.url(), cluster.url(database: "other")]
    let reports = try await withThrowingTaskGroup(of: Migrator.Report.self) { group in
      for index in 0..<40 {
        group.addTask { try await Migrator().migrate(ConnectionOptions(url: urls[index % 2])) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reports.flatMap(\.applied).count == 2 * names.count)
    #expect(reports.filter(\.functionsChanged).count == 2)
    for url in urls {
      let daemon = try await Connection.connect(ConnectionOptions(url: url + "&user=settled_daemon"))
      #expect(try await daemon.query("SELECT count(*) FROM racing.race").one(Int64.self) == 0)
      await daemon.close()
    }
    await cluster.stop()
  }

  @Test func `a later migration is applied to an existing database, and a failing one leaves nothing`()
    async throws
  {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let bad = Migrator(MigrationFixture.later("CREATE TABLE racing.later (id bigint); SELECT 1 / 0;"))
    await #expect(throws: PostgresError.self) { _ = try await database.migrate(bad) }
    #expect(try await MigrationFixture.state(of: database) == .current(version: Int32(names.count)))
    let report = try await database.migrate(Migrator(MigrationFixture.later()))
    #expect(report.applied.count == 1 && !report.functionsChanged)
  }

  @Test(arguments: [false, true])
  func `an older program works with a newer schema unless a migration is marked as breaking`(isBreaking: Bool)
    async throws
  {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate(Migrator(MigrationFixture.later(breaking: isBreaking)))
    let state = try await MigrationFixture.state(of: database)
    #expect(state == .newer(isBreaking: isBreaking))
    #expect(state.refusal?.code == (isBreaking ? .schemaNewer : nil))
    if isBreaking {
      let error = await #expect(throws: EngineError.self) { _ = try await database.migrate() }
      #expect(error?.code == .schemaNewer)
    } else {
      #expect(try await database.migrate() == Migrator.Report())
    }
  }

  @Test func `a database of a later release is not forked by an older program, which exits with an error`() async throws
  {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate(Migrator(MigrationFixture.later()))
    let error = await #expect(throws: EngineError.self) {
      _ = try await database.migrate(Migrator(forks: [RestoreStatements.fork]))
    }
    #expect(error?.code == .schemaNewer)
  }

  @Test func `an applied migration with another text is refused, and the database stays unchanged`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let state = try await MigrationFixture.state(of: database, to: MigrationFixture.edited)
    #expect(state == .edited(name: names.last ?? ""))
    let error = await #expect(throws: EngineError.self) {
      _ = try await database.migrate(Migrator(MigrationFixture.edited))
    }
    #expect(error?.code == .schemaEdited)
    #expect(error?.description.contains(names.last ?? "-") == true)
    #expect(try await MigrationFixture.state(of: database) == .current(version: Int32(names.count)))
  }

  @Test func `a mended migration takes the text before for its own, and no other text`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let owner = try await database.connect()
    func record(_ checksum: String) async throws {
      #expect(
        try await owner.execute("UPDATE settled.migration SET checksum = \(checksum) WHERE name LIKE '0047-%'") == 1)
    }
    // The text of 0047 that failed after release 6.
    try await record("bc4aef41242fe7ed16a588e925abdeaaf4cfc2cda2b0f25b71c031bc194f617c")
    #expect(try await MigrationFixture.state(of: database) == .current(version: Int32(names.count)))
    _ = try await database.migrate()
    try await record(String(repeating: "0", count: 64))
    guard case .edited = try await MigrationFixture.state(of: database) else {
      Issue.record("a text that nobody knows passes")
      return
    }
  }

  @Test func `changed functions are applied again, without a migration`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let more = Schema.File(
      path: "functions/more.sql",
      text: "CREATE OR REPLACE FUNCTION settled.more() RETURNS integer LANGUAGE sql AS 'SELECT 1';")
    let changed = Migrations(functions: Schema.functions + [more])
    #expect(try await MigrationFixture.state(of: database, to: changed) == .older(version: Int32(names.count)))
    let report = try await database.migrate(Migrator(changed))
    #expect(report.applied.isEmpty && report.functionsChanged)
    #expect(try await MigrationFixture.state(of: database, to: changed) == .current(version: Int32(names.count)))
  }

  @Test func `an older program works with functions of a later release, and keeps them`()
    async throws
  {
    let database = try await TestCluster.shared.database()
    let later = MigrationFixture.laterFunctions
    _ = try await database.migrate(Migrator(later))
    let state = try await MigrationFixture.state(of: database)
    #expect(state == .newer(isBreaking: false))
    #expect(state.refusal == nil && state.advice != nil)
    #expect(try await database.migrate() == Migrator.Report())
    #expect(try await MigrationFixture.state(of: database, to: later) == .current(version: Int32(names.count)))
  }

  /// Migrations commit one by one, and the functions follow: until then programs of the former release call theirs.
  @Test func `no migration of this release drops a function`() {
    let files = Schema.migrations.drop { !$0.path.contains("key-collation") }.dropFirst()
    #expect(!files.isEmpty)
    for file in files { #expect(!file.text.contains("DROP FUNCTION"), "\(file.path)") }
  }

  /// The functions of the last release of settled: they change here with the next release, and no sooner.
  private static let released: (number: Int32, checksum: String) = (
    7, "1fc7f2e4ac05e1e747ca45c4a5b261950e93112986f1cde9cf62a6c491942fa6"
  )

  /// The number orders programs: without a new one, nodes of an older program do not start with newer functions.
  @Test func `functions that differ from those of the last release have a higher number`() async throws {
    let database = try await TestCluster.shared.database()
    _ = try await database.migrate()
    let session = try await database.connect()
    let (number, checksum) = try await session.query("SELECT release, checksum FROM settled.function_script")
      .one(Int32.self, String.self)
    let next = checksum == Self.released.checksum ? Self.released.number : Self.released.number + 1
    #expect(number == next, "sql/functions/0-release.sql begins with the number \(next)")
  }
}
