import Engine
import Postgres
import Schema
import TestSupport

/// Programs other than ours, as far as their schema goes.
enum MigrationFixture {
  /// Our schema and one more migration, as a later program would bring.
  static func later(_ sql: String = "CREATE TABLE racing.later (id bigint);", breaking: Bool = false) -> Migrations {
    let number = Schema.migrations.count + 1
    let text = (breaking ? "-- breaking\n" : "") + sql
    return Migrations(
      migrations: Schema.migrations + [Schema.File(path: "migrations/000\(number)-later.sql", text: text)])
  }

  /// Our schema with the functions of the release after ours.
  static var laterFunctions: Migrations {
    let release = Migrations().functionRelease
    return Migrations(
      functions: Schema.functions.map { file in
        Schema.File(
          path: file.path, text: file.text.replacing("-- Release \(release) of", with: "-- Release \(release + 1) of"))
      })
  }

  /// Our schema with another text in the last migration.
  static var edited: Migrations {
    var files = Schema.migrations
    let last = files.removeLast()
    return Migrations(migrations: files + [Schema.File(path: last.path, text: last.text + "-- edited\n")])
  }

  static func state(of database: TestDatabase, to migrations: Migrations = Migrations()) async throws -> SchemaState {
    let connection = try await database.connect()
    return try await SchemaState.read(migrations, from: connection)
  }
}
