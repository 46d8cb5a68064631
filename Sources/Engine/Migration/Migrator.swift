package import Postgres

/// Brings a database to the program's schema: any number of them at once are safe.
///
/// One transaction for each migration, one for all functions; a session lock keeps migrators apart. Running it again
/// changes nothing, nor does an older program take functions of a later release back.
package struct Migrator: Sendable {
  package struct Report: Sendable, Equatable {
    package var applied: [String] = []
    package var functionsChanged = false
    package var isSimulated = false

    package init(applied: [String] = [], functionsChanged: Bool = false, isSimulated: Bool = false) {
      self.applied = applied
      self.functionsChanged = functionsChanged
      self.isSimulated = isSimulated
    }
  }

  private let migrations: Migrations
  private let makesRoles: Bool
  private let simulatesClock: Bool

  package init(_ migrations: Migrations = Migrations(), makesRoles: Bool = true, simulatesClock: Bool = false) {
    self.migrations = migrations
    self.makesRoles = makesRoles
    self.simulatesClock = simulatesClock
  }

  /// Throws `EngineError` where the database refuses or is not ours to migrate, else `PostgresError`.
  package func migrate(_ options: ConnectionOptions) async throws -> Report {
    var options = options
    options.statementTimeout = .seconds(1800)
    options.settings = [:]
    let connection = try await Connection.connect(options)
    do {
      let report = try await migrate(connection)
      await connection.close()
      return report
    } catch {
      await connection.close()
      throw error
    }
  }

  private func migrate(_ connection: Connection) async throws -> Report {
    try await connection.execute(MigrationStatements.lock)
    if makesRoles { try await Roles.create(connection) }
    try await connection.script(MigrationStatements.bootstrap)
    let sums = try await checksums(connection)
    let state = try await SchemaState.read(migrations, sums: sums.migrations, from: connection)
    if case .edited = state { throw state.error }
    if case .newer(let isBreaking) = state {
      if isBreaking { throw state.error }
      return Report()
    }
    try await refuseRealClock(connection)
    var report = Report()
    for (migration, sum) in zip(migrations.migrations, sums.migrations) where migration.number > state.version {
      try await connection.transaction { transaction in
        try await transaction.script("SET LOCAL check_function_bodies = off;\n" + migration.text)
        try await transaction.execute(MigrationStatements.record(migration, checksum: sum))
      }
      report.applied.append(migration.name)
    }
    report.isSimulated = try await connection.query(MigrationStatements.install(simulated: simulatesClock))
      .one(Bool.self)
    let applied = try await connection.query(MigrationStatements.appliedFunctions).first(String.self, Int32.self)
    let hasNewer = (applied?.1 ?? 0) > migrations.functionRelease
    let hasOurs = try await connection.query(MigrationStatements.hasFunctions(checksum: sums.functions)).one(Bool.self)
    if !hasOurs && !hasNewer {
      try await connection.transaction { transaction in
        try await transaction.script("SET LOCAL check_function_bodies = off;\n" + migrations.functions)
        try await transaction.execute(
          MigrationStatements.recordFunctions(checksum: sums.functions, release: migrations.functionRelease))
      }
      report.functionsChanged = true
    }
    try await connection.execute("SELECT settled.refresh_time_zones()")
    return report
  }

  /// Before anything is changed: a database that has a real clock keeps it.
  private func refuseRealClock(_ connection: Connection) async throws {
    guard simulatesClock, try await connection.query(MigrationStatements.hasInstallation).one(Bool.self) else { return }
    guard try await connection.query(MigrationStatements.hasRealClock).one(Bool.self) else { return }
    throw EngineError(
      .realClock, "this database has a real clock; only a new database can be made with a simulated one")
  }

  private func checksums(_ connection: Connection) async throws -> (migrations: [String], functions: String) {
    let texts = migrations.migrations.map(\.text) + [migrations.functions]
    var sums = try await connection.query(MigrationStatements.checksums(of: texts)).decode(String.self)
    let functions = sums.removeLast()
    return (sums, functions)
  }
}
