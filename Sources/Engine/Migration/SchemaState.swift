package import Postgres

/// How a database's schema compares with the program's.
package enum SchemaState: Sendable, Equatable {
  case current(version: Int32)
  /// Migrations are missing, or the functions are older; version 0 if the database is empty.
  case older(version: Int32)
  case edited(name: String)
  /// Migrations, or functions of a later release, that this program does not have.
  case newer(isBreaking: Bool)

  /// Reads the state; nothing is changed or locked.
  package static func read(_ migrations: Migrations, from session: some Session) async throws -> SchemaState {
    let sums = migrations.checksums
    let state = try await read(migrations, sums: sums.migrations, from: session)
    guard case .current(let version) = state else { return state }
    let applied = try await session.query(MigrationStatements.appliedFunctions).first(String.self, Int32.self)
    guard let applied else { return .older(version: version) }
    if applied.0 == sums.functions { return state }
    return applied.1 > migrations.functionRelease ? .newer(isBreaking: false) : .older(version: version)
  }

  static func read(_ ours: Migrations, sums: [String], from session: some Session) async throws -> SchemaState {
    guard try await session.query(MigrationStatements.isInstalled).one(Bool.self) else { return .older(version: 0) }
    let applied = try await session.query(MigrationStatements.applied).decodeAll(as: AppliedMigration.init)
    for (there, (own, sum)) in zip(applied, zip(ours.migrations, sums))
    where there.checksum != sum && there.checksum != own.replaces {
      return .edited(name: there.name)
    }
    let version = applied.last?.number ?? 0
    if version < ours.version { return .older(version: version) }
    if version > ours.version { return .newer(isBreaking: applied.dropFirst(sums.count).contains(where: \.isBreaking)) }
    return .current(version: version)
  }

  var version: Int32 {
    switch self {
    case .current(let version), .older(let version): version
    case .edited, .newer: 0
    }
  }

  /// A notice for operators if this program works with a schema of another release.
  package var advice: String? {
    guard case .newer(isBreaking: false) = self else { return nil }
    return "the database's schema is newer than this program, but compatible with it: upgrade the program"
  }

  /// Nil if this program can work with the database.
  package var refusal: EngineError? {
    switch self {
    case .current, .newer(isBreaking: false): nil
    case .older, .edited, .newer(isBreaking: true): error
    }
  }

  var error: EngineError {
    switch self {
    case .current, .older:
      EngineError(.schemaOlder, "the database's schema is older than this program: run settled migrate")
    case .edited(let name):
      EngineError(.schemaEdited, "the applied text of migration \(name) differs from this program's")
    case .newer:
      EngineError(.schemaNewer, "the database's schema is newer than this program: upgrade the program")
    }
  }
}

/// A row of `settled.migration`.
private struct AppliedMigration {
  let number: Int32
  let name: String
  let checksum: String
  let isBreaking: Bool

  init(_ row: Row) throws(PostgresError) {
    number = try row["number"]
    name = try row["name"]
    checksum = try row["checksum"]
    isBreaking = try row["breaking"]
  }
}
