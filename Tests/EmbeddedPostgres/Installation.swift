internal import Glibc

/// Where the server's programs are, and as whom they may run.
struct Installation {
  /// The directory of `initdb` and `postgres`.
  let programs: String

  /// The user to become, because the server refuses to run as root; nil when we are not root.
  let user: String?

  /// The newest installation below Debian's directory, or one in `PATH`; throws `missing`.
  static func find() throws(EmbeddedPostgresError) -> Installation {
    guard let programs = candidates().first(where: { access("\($0)/initdb", X_OK) == 0 }) else {
      throw EmbeddedPostgresError(
        .missing, "initdb was found neither in /usr/lib/postgresql nor in PATH: install the package postgresql")
    }
    guard geteuid() == 0 else { return Installation(programs: programs, user: nil) }
    let user = (["postgres", "nobody"] as [String]).first { name in getpwnam(name) != nil }
    return Installation(programs: programs, user: user)
  }

  private static func candidates() -> [String] {
    let root = "/usr/lib/postgresql"
    let versions = entries(of: root).compactMap { Int($0) }.sorted(by: >)
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return versions.map { "\(root)/\($0)/bin" } + path.split(separator: ":").map(String.init)
  }

  private static func entries(of directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }
}
