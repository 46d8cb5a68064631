import Foundation

/// A copy of a database by `pg_dump` and `pg_restore` of the server's own version.
package enum Dump {
  /// The copy was not made; the tool has written its reason to standard error.
  struct Failed: Error {
    let status: Int32
  }

  package static func copy(from source: String, to target: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    let bin = "$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)"
    process.arguments = [
      "-c",
      "B=\(bin); PATH=$B:$PATH; pg_dump -Fc -f \"$2.dump\" \"$1\" && pg_restore --exit-on-error -d \"$3\" \"$2.dump\"; s=$?; rm -f \"$2.dump\"; exit $s",
      "sh", source, FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path, target,
    ]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
  }
}
