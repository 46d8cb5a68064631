package import Schema
import SystemCrypto
import TextCoding

/// The schema of a program: `Schema` in the daemon, another one in tests.
package struct Migrations: Sendable {
  let migrations: [Migration]
  /// All contract functions as one script, applied whenever it differs from what was applied last.
  let functions: String
  /// The number in `0-release.sql`: it orders functions of different programs. 0 if there is no such file.
  package let functionRelease: Int32
  private let listed: [SchemaObject]?
  private var isProgramsOwn = false

  /// The program's own migrations, read once in a process.
  package init() { self = Self.own }

  private static let own: Migrations = {
    var own = Migrations(migrations: Schema.migrations, functions: Schema.functions)
    own.isProgramsOwn = true
    return own
  }()

  /// A long list that only a comparison with a database needs.
  private static let ownObjects = SchemaObject.all(in: Schema.objects)

  /// The objects that they create; nil if there is no list.
  package var objects: [SchemaObject]? { isProgramsOwn ? Self.ownObjects : listed }

  package init(
    migrations: [Schema.File] = Schema.migrations, functions: [Schema.File] = Schema.functions,
    objects: [SchemaObject]? = nil
  ) {
    listed = objects
    self.migrations = migrations.map(Migration.init)
    self.functions = functions.map(\.text).joined(separator: "\n")
    functionRelease = functions.first { $0.path.hasSuffix("/0-release.sql") }.map(Self.release) ?? 0
    precondition(
      self.migrations.map(\.number) == Array(1..<(Int32(migrations.count) + 1)),
      "migrations must be numbered 1, 2, 3, ...")
  }

  /// `-- Release 12 of the functions. ...`
  private static func release(_ file: Schema.File) -> Int32 {
    let words = file.text.split(separator: " ", maxSplits: 3)
    guard words.count > 2, words[0] == "--", words[1] == "Release", let number = Int32(words[2]), number > 0 else {
      preconditionFailure("the file must begin with its release: -- Release 12 of")
    }
    return number
  }

  /// The SHA-256 of each text as UTF-8, in hexadecimal, as `settled.migration` and `settled.function_script` keep it.
  ///
  /// Computed here: the texts are a megabyte, which would otherwise be sent at each start.
  var checksums: (migrations: [String], functions: String) {
    (migrations.map { Self.checksum($0.text) }, Self.checksum(functions))
  }

  private static func checksum(_ text: String) -> String { Hexadecimal.text(SHA256.digest(Array(text.utf8))) }

  /// The number of the last migration.
  package var version: Int32 { migrations.last?.number ?? 0 }
}
