package import Schema

/// The schema that a program brings: `Schema` in the daemon, another one in tests.
package struct Migrations: Sendable {
  let migrations: [Migration]
  /// All contract functions as one script, applied whenever it differs from what was applied last.
  let functions: String
  /// The number in `0-release.sql`: it orders functions of different programs. 0 where there is no such file.
  package let functionRelease: Int32
  /// The objects that they make; nil where nobody listed them.
  package let objects: [SchemaObject]?

  /// The program's own.
  package init() {
    self.init(migrations: Schema.migrations, functions: Schema.functions, objects: Self.objects)
  }

  private static let objects = SchemaObject.all(in: Schema.objects)

  package init(
    migrations: [Schema.File] = Schema.migrations, functions: [Schema.File] = Schema.functions,
    objects: [SchemaObject]? = nil
  ) {
    self.objects = objects
    self.migrations = migrations.map(Migration.init)
    self.functions = functions.map(\.text).joined(separator: "\n")
    functionRelease = functions.first { $0.path.hasSuffix("/0-release.sql") }.map(Self.release) ?? 0
    precondition(
      self.migrations.map(\.number) == Array(1..<(Int32(migrations.count) + 1)),
      "migrations are numbered 1, 2, 3, ...")
  }

  /// `-- Release 12 of the functions. ...`
  private static func release(_ file: Schema.File) -> Int32 {
    let words = file.text.split(separator: " ", maxSplits: 3)
    guard words.count > 2, words[0] == "--", words[1] == "Release", let number = Int32(words[2]), number > 0 else {
      preconditionFailure("the file begins with its release: -- Release 12 of")
    }
    return number
  }

  /// The number of the last migration.
  package var version: Int32 { migrations.last?.number ?? 0 }
}
