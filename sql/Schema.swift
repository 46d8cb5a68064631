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

  /// Functions, settings, wake-ups and rights, in the order of their paths: they are applied again whenever they
  /// change.
  ///
  /// Of each module the retention follows the settings that it names, and the rights, which concern all, come last.
  package static let functions: [File] = files(under: "functions/").sorted { order($0) < order($1) }

  /// What migrations and functions make: an object on each line.
  package static let objects: String = files(under: "catalogue/").map(\.text).joined()

  /// The schemas of the modules, `settled` first: a folder of functions has a number, which is its place, and the name.
  package static let schemas: [String] = functions.reduce(into: []) { schemas, file in
    let parts = file.path.split(separator: "/")
    guard parts.count == 3, let name = parts[1].split(separator: "-").last.map(String.init) else { return }
    if !schemas.contains(name) { schemas.append(name) }
  }

  private static func order(_ file: File) -> (folder: String, rank: Int, path: String) {
    let folder = file.path.split(separator: "/").dropLast().joined(separator: "/")
    let last = ["/retention.sql", "/tables.sql"]
    return (folder, last.firstIndex { file.path.hasSuffix($0) }.map { $0 + 1 } ?? 0, file.path)
  }

  private static func files(under folder: String) -> [File] {
    embeddedFiles.filter { $0.path.hasPrefix(folder) }.map { File(path: $0.path, text: $0.text) }
  }
}
