import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Events in a restored database", .timeLimit(.minutes(2)))
struct EventRestoreTests {
  @Test func `events in a restored database continue after the last position; pending ones are numbered once`()
    async throws
  {
    let old = try await SettledDatabase.simulated()
    let session = try await old.connect()
    for key in ["a", "b", "c"] {
      _ = try await session.query("SELECT settled.emit('test', \(key), '{}', settled.clock())")
    }
    _ = try await session.query("SELECT settled.number_events(2)")
    let new = try await TestCluster.shared.database()
    try Self.copy(from: old.url(.owner), to: new.url())
    let restored = try await new.connect()
    for key in ["d", "e"] {
      _ = try await restored.query("SELECT settled.emit('test', \(key), '{}', settled.clock())")
    }
    #expect(try await restored.query("SELECT settled.number_events(10)").one(Int32.self) == 3)
    let events = try await restored.query("SELECT position, key FROM settled.events(NULL, 500)")
      .decode(String.self, String.self)
    #expect(events.map(\.0) == ["1", "2", "3", "4", "5"])
    #expect(events.map(\.1) == ["a", "b", "c", "d", "e"])
  }

  /// `pg_dump | psql`, of the server's own version.
  private static func copy(from source: String, to target: String) throws {
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
    #expect(process.terminationStatus == 0)
  }
}
