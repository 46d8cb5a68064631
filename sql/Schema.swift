/// The database schema as data: migrations and contract functions, embedded at build time.
package enum Schema {
  /// One file below `sql/`, for example `migrations/0001-settled.sql`.
  package struct File: Sendable, Equatable {
    package let path: String
    package let text: String

    package init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  /// Numbered, forward-only migrations in their order.
  package static let migrations: [File] = files(under: "migrations/")

  /// Functions, grants and comments that are applied anew whenever they change, in the order of their paths.
  package static let functions: [File] = files(under: "functions/")

  private static func files(under folder: String) -> [File] {
    embeddedFiles.filter { $0.path.hasPrefix(folder) }.map { File(path: $0.path, text: $0.text) }
  }
}
