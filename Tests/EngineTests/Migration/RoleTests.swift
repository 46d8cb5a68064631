import Engine
import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

@Suite("Roles of a new cluster") struct RoleTests {
  @Test func `a schema migrates without its roles, and grants follow when somebody creates them`() async throws {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let options = ConnectionOptions(url: cluster.url())
    let report = try await Migrator(makesRoles: false).migrate(options)
    #expect(report.functionsChanged)
    let owner = try await Connection.connect(options)
    #expect(try await owner.query("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'settled%'").one(Int64.self) == 0)
    try await owner.script("CREATE ROLE settled_daemon LOGIN; CREATE ROLE settled_app")
    let second = try await Migrator(makesRoles: false).migrate(options)
    #expect(second.applied.isEmpty && second.functionsChanged)
    let mayRead: Statement = "SELECT has_table_privilege('settled_daemon', 'racing.race', 'SELECT')"
    #expect(try await owner.query(mayRead).one(Bool.self))
    let third = try await Migrator(makesRoles: false).migrate(options)
    #expect(!third.functionsChanged)
    await owner.close()
    await cluster.stop()
  }

  @Test func `a user without CREATEROLE gets an error before any change, and may migrate without roles`()
    async throws
  {
    let cluster = try await EmbeddedPostgres.start(settings: TestCluster.settings)
    let owner = try await Connection.connect(ConnectionOptions(url: cluster.url()))
    try await owner.execute("CREATE ROLE humble LOGIN")
    try await owner.execute("CREATE DATABASE app OWNER humble")
    await owner.close()
    let humble = ConnectionOptions(url: cluster.url(database: "app", user: "humble"))
    let error = await #expect(throws: EngineError.self) { _ = try await Migrator().migrate(humble) }
    #expect(error?.code == .notAllowed)
    #expect(error?.description.contains("--no-roles") == true)
    let connection = try await Connection.connect(humble)
    #expect(try await SchemaState.read(Migrations(), from: connection) == .older(version: 0))
    #expect(try await connection.query("SELECT to_regnamespace('settled') IS NULL").one(Bool.self))
    await connection.close()
    let report = try await Migrator(makesRoles: false).migrate(humble)
    #expect(report.functionsChanged)
    await cluster.stop()
  }
}
