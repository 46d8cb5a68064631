package import Postgres

/// Brings a database to the program's schema; any number of concurrent migrators are safe.
///
/// One transaction for each migration, one for all functions; each begins by locking the migrator's own table, which
/// only its owner can. Running it again changes nothing, and an older program does not replace functions of a later
/// release.
package struct Migrator: Sendable {
  package struct Report: Sendable, Equatable {
    package var applied: [String] = []
    package var functionsChanged = false
    package var isSimulated = false
    /// Whether the database has become a copy with its own identity.
    package var isForked = false
    /// Objects that had been dropped, disabled or changed.
    package var putBack: [String] = []
    /// Foreign objects in the product's schemas.
    package var foreign: [String] = []

    package init(applied: [String] = [], functionsChanged: Bool = false, isSimulated: Bool = false) {
      self.applied = applied
      self.functionsChanged = functionsChanged
      self.isSimulated = isSimulated
    }
  }

  private let migrations: Migrations
  private let makesRoles: Bool
  private let simulatesClock: Bool
  private let marksDoubles: Bool
  private let forks: [Statement]
  private let lockTimeout: Duration
  /// Called before each step, so that a long migration shows its progress.
  private let begins: @Sendable (_ step: String) -> Void
  /// How long one attempt waits for other migrators, and the pause before the next attempt.
  private static let wait: Duration = .seconds(1)
  private static let pause: Duration = .seconds(2)
  private static let statementTimeout: Duration = .seconds(1800)

  /// - Parameters:
  ///   - forks: give a copied database its own identity.
  ///   - lockTimeout: limits the waits for another migrator and for locked tables.
  package init(
    _ migrations: Migrations = Migrations(), makesRoles: Bool = true, simulatesClock: Bool = false,
    marksDoubles: Bool = false, forks: [Statement] = [], lockTimeout: Duration = .seconds(60),
    begins: @escaping @Sendable (_ step: String) -> Void = { _ in }
  ) {
    self.migrations = migrations
    self.makesRoles = makesRoles
    self.simulatesClock = simulatesClock
    self.marksDoubles = marksDoubles
    self.forks = forks
    self.lockTimeout = lockTimeout
    self.begins = begins
  }

  /// Throws `EngineError` if the database refuses or must not be migrated by this role, else `PostgresError`.
  package func migrate(_ options: ConnectionOptions) async throws -> Report {
    var options = options
    options.statementTimeout = Self.statementTimeout
    options.lockTimeout = min(Self.wait, lockTimeout)
    options.settings = [:]
    let connection = try await Connection.connect(options)
    do {
      let report = try await migrate(connection, options)
      await connection.close()
      return report
    } catch {
      await connection.close()
      throw error
    }
  }

  private func migrate(_ connection: Connection, _ options: ConnectionOptions) async throws -> Report {
    do {
      return try await bring(connection, options)
    } catch let error as PostgresError where MigrationLocks.isRefusal(error.verdict) {
      let holders = try await connection.query(MigrationStatements.holders).decode(String.self)
      let names = holders.isEmpty ? "check pg_stat_activity" : "perhaps " + holders.joined(separator: ", ")
      throw EngineError(.locked, "a migration waited \(lockTimeout) for a lock that another session holds: \(names)")
    }
  }

  private func bring(_ connection: Connection, _ options: ConnectionOptions) async throws -> Report {
    if let refusal = try await DatabaseRefusal.any(connection) { throw refusal }
    try await Ownership.assumeNoRole(connection)
    let role = try await patiently {
      if makesRoles { try await Roles.create(connection) }
      return try await Ownership.migrating(connection, makesRoles: makesRoles)
    }
    try await bootstrap(role, connection)
    let sums = migrations.checksums
    let state = try await SchemaState.read(migrations, sums: sums.migrations, from: connection)
    if case .edited = state { throw state.error }
    if case .newer(let isBreaking) = state {
      // A fork of a database of a later release needs that release's functions.
      if isBreaking || !forks.isEmpty { throw state.error }
      return Report()
    }
    try await refuseRealClock(connection)
    try await locked(connection) { try await Ownership.move(role, $0) }
    var report = Report()
    let last = migrations.migrations.last?.number ?? 0
    for (migration, sum) in zip(migrations.migrations, sums.migrations) where migration.number > state.version {
      try await prepare(migration, as: role, connection, options)
      begins("applying \(migration.name) (\(migration.number - state.version) of \(last - state.version))")
      let isNew = try await locked(connection, as: role) { try await apply(migration, checksum: sum, $0) }
      if isNew { report.applied.append(migration.name) }
    }
    let damaged = try await SchemaDifference.all(from: migrations, connection).filter(\.isOfFunctions)
    let needsFunctions = try await needsFunctions(checksum: sums.functions, connection)
    if needsFunctions || !damaged.isEmpty {
      begins("replacing the functions and their privileges with those of release \(migrations.functionRelease)")
    }
    var failures: [String] = []
    do {
      (report.isSimulated, report.functionsChanged) = try await locked(connection, as: role) { transaction in
        let isSimulated = try await transaction.query(MigrationStatements.install(simulated: simulatesClock))
          .one(Bool.self)
        let isNew = try await applyFunctions(checksum: sums.functions, isDamaged: !damaged.isEmpty, transaction)
        return (isSimulated, isNew)
      }
    } catch let error as PostgresError where !damaged.isEmpty && error.isOtherResult {
      failures = ["\(damaged.map(\.description).joined(separator: "; ")) (\(error.message): drop it)"]
    }
    try await repair(damaged, failures, as: role, connection, &report)
    try await locked(connection, as: role) { try await KeyCollation.analyze($0) }
    // Concurrently with others: they insert the same names in the same order, and reading them takes time.
    try await patiently {
      try await connection.transaction { transaction in
        if role.hasOwner { try await transaction.execute(MigrationStatements.becomeOwner) }
        try await transaction.execute("SELECT settled.refresh_time_zones()")
      }
    }
    if makesRoles { try await fixSettings(connection) }
    if !forks.isEmpty { report.isForked = try await fork(as: role, connection) }
    return report
  }

  /// Creates the migrator's tables if they are missing. Of several migrators one creates the schema; the others wait
  /// for its name, and check again.
  private func bootstrap(_ role: Ownership.Migrating, _ connection: Connection) async throws {
    for attempt in 1...5 {
      try await Ownership.refuseConflicts(role, connection)
      if try await connection.query(MigrationStatements.isInstalled).one(Bool.self) { return }
      do {
        return try await patiently { try await connection.transaction { try await makeSchema(role, $0) } }
      } catch let error as PostgresError where attempt < 5 && Self.isRace(error) {}
    }
  }

  private func makeSchema(_ role: Ownership.Migrating, _ transaction: Transaction) async throws {
    try await Ownership.letCreate(role, transaction)
    // Another role may have created the schema during the wait: it is not taken over.
    try await Ownership.refuseConflicts(role, transaction)
    let owner = role.hasOwner ? Ownership.owner : "CURRENT_USER"
    let hasSchema = try await transaction.query(MigrationStatements.hasSchema).one(Bool.self)
    try await transaction.script(
      hasSchema ? "ALTER SCHEMA settled OWNER TO \(owner)" : "CREATE SCHEMA settled AUTHORIZATION \(owner)")
    if role.hasOwner { try await transaction.execute(MigrationStatements.becomeOwner) }
    try await transaction.script(MigrationStatements.bootstrap)
  }

  /// Another migrator created the same object at the same time.
  private static func isRace(_ error: PostgresError) -> Bool {
    error.isDuplicate || error.message == "tuple concurrently updated"
  }

  /// A transaction that excludes those of other migrators; it runs as the owner of the schema if `role` is given.
  private nonisolated(nonsending) func locked<R: Sendable>(
    _ connection: Connection, as role: Ownership.Migrating? = nil,
    _ body: nonisolated(nonsending) (Transaction) async throws -> R
  ) async throws -> R {
    try await patiently {
      try await connection.transaction { transaction in
        if role?.hasOwner == true { try await transaction.execute(MigrationStatements.becomeOwner) }
        try await transaction.execute(MigrationStatements.lock)
        try await MigrationLocks.shortenWaits(transaction, to: lockTimeout)
        return try await body(transaction)
      }
    }
  }

  /// If another session holds a lock that a step needs, the step is rolled back and retried, so that settling does not
  /// wait behind it.
  private nonisolated(nonsending) func patiently<R: Sendable>(
    _ step: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    let end = ContinuousClock.now + lockTimeout
    while true {
      do {
        return try await step()
      } catch let error as PostgresError
        where MigrationLocks.isRefusal(error.verdict) && ContinuousClock.now + Self.pause < end
      {
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  /// The steps of a migration that must not run in its transaction; of several migrators one runs them.
  private func prepare(
    _ migration: Migration, as role: Ownership.Migrating, _ connection: Connection, _ options: ConnectionOptions
  ) async throws {
    guard migration.preparation == .keyCollation else { return }
    try await locked(connection) { transaction in
      if try await transaction.query(MigrationStatements.has(migration)).one(Bool.self) { return }
      try await KeyCollation(marksDoubles: marksDoubles, begins: begins)
        .prepare(options, isOwner: role.hasOwner, beside: transaction)
    }
  }

  /// Returns false if another migrator has applied it meanwhile.
  private func apply(_ migration: Migration, checksum: String, _ transaction: Transaction) async throws -> Bool {
    if try await transaction.query(MigrationStatements.has(migration)).one(Bool.self) { return false }
    try await transaction.script("SET LOCAL check_function_bodies = off;\n" + migration.text)
    try await transaction.execute(MigrationStatements.record(migration, checksum: checksum))
    return true
  }

  /// Returns false if they, or functions of a later release, are already applied.
  private func applyFunctions(checksum: String, isDamaged: Bool, _ transaction: Transaction) async throws -> Bool {
    if !isDamaged {
      guard try await needsFunctions(checksum: checksum, transaction) else { return false }
    }
    try await MigrationLocks.takeAll(transaction, statementTimeout: Self.statementTimeout)
    try await transaction.script("SET LOCAL check_function_bodies = off;\n" + migrations.functions)
    try await transaction.execute(
      MigrationStatements.recordFunctions(checksum: checksum, release: migrations.functionRelease))
    return true
  }

  /// Whether the database's functions are neither these nor a later release's, or their privileges were changed.
  private func needsFunctions(checksum: String, _ session: some Session) async throws -> Bool {
    let applied = try await session.query(MigrationStatements.appliedFunctions).first(String.self, Int32.self)
    if (applied?.1 ?? 0) > migrations.functionRelease { return false }
    let has = MigrationStatements.hasFunctions(checksum: checksum)
    guard try await session.query(has).one(Bool.self) else { return true }
    return try await session.query(MigrationStatements.hasChangedRights).one(Bool.self)
  }

  /// Restores objects that were dropped, disabled or changed, each in its own transaction.
  ///
  /// - Parameters:
  ///   - functions: the differences before the functions were applied.
  ///   - failures: the objects that could not be restored before.
  private func repair(
    _ functions: [SchemaDifference], _ failures: [String], as role: Ownership.Migrating, _ connection: Connection,
    _ report: inout Report
  ) async throws {
    let differences = try await SchemaDifference.all(from: migrations, connection)
    report.foreign = differences.filter(\.isForeign).map(\.object.label)
    // The functions were applied: a remaining difference only shows that the list of objects is older than they are.
    let damaged = differences.filter { !$0.isForeign && !($0.isOfFunctions && $0.repair == nil) }
    let labels = Set(damaged.map(\.object.label))
    report.putBack = functions.map(\.object.label).filter { !labels.contains($0) }
    let repair = SchemaRepair(migrations)
    var failures = failures
    for difference in SchemaRepair.ordered(damaged) {
      guard difference.repair != nil else {
        failures.append("\(difference) (no statement can restore it)")
        continue
      }
      begins("restoring \(difference.object.label)")
      do {
        var step = SchemaRepair.Step.first
        while step == .first {
          step = try await locked(connection, as: role) { try await repair.step(difference.object, $0) }
        }
        if step == .last { report.putBack.append(difference.object.label) }
      } catch let error as PostgresError where error.verdict != .connection && !MigrationLocks.isRefusal(error.verdict)
      {
        failures.append(await repair.failure(difference, error, connection))
      }
    }
    guard failures.isEmpty else {
      throw EngineError(
        .damaged, "these schema objects cannot be restored: " + failures.joined(separator: "; "))
    }
  }

  /// Only while no daemon is connected: a daemon that uses the tokens would continue without them.
  private func fork(as role: Ownership.Migrating, _ connection: Connection) async throws -> Bool {
    try await locked(connection, as: role) { transaction in
      guard try await transaction.query(MigrationStatements.hasDaemon).one(Bool.self) == false else {
        throw EngineError(.inTheWay, "a daemon is connected to this database: stop it before you fork the database")
      }
      for statement in forks { try await transaction.execute(statement) }
    }
    return true
  }

  private func fixSettings(_ connection: Connection) async throws {
    do {
      try await locked(connection) { try await Roles.fixSettings($0) }
    } catch let error as PostgresError where error.isDenied {
      // Roles created by others get their settings from a role that may change them.
    }
  }

  /// Before any change: a database with a real clock keeps it.
  private func refuseRealClock(_ connection: Connection) async throws {
    guard simulatesClock, try await connection.query(MigrationStatements.hasInstallation).one(Bool.self) else { return }
    guard try await connection.query(MigrationStatements.hasRealClock).one(Bool.self) else { return }
    throw EngineError(
      .realClock, "this database uses the real clock; only a new database can use a simulated clock")
  }
}
