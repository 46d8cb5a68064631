package import Schema

/// The schema that a program brings: `Schema` in the daemon, another one in tests.
package struct Migrations: Sendable {
  let migrations: [Migration]
  /// All contract functions as one script, applied whenever it differs from what was applied last.
  let functions: String

  package init(migrations: [Schema.File] = Schema.migrations, functions: [Schema.File] = Schema.functions) {
    self.migrations = migrations.map(Migration.init)
    self.functions = functions.map(\.text).joined(separator: "\n")
    precondition(
      self.migrations.map(\.number) == Array(1..<(Int32(migrations.count) + 1)),
      "migrations are numbered 1, 2, 3, ...")
  }

  /// The number of the last migration.
  package var version: Int32 { migrations.last?.number ?? 0 }
}
