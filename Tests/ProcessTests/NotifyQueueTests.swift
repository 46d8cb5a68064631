import Foundation
import Postgres
import TestSupport
import Testing

/// The server's queue of notifications, which any session of the cluster can fill.
@Suite("A full queue of notifications") struct NotifyQueueTests {
  /// Puts a function of the database in the place of the server's, because filling the queue writes four gigabytes.
  private func fill(_ owner: Connection, _ share: Double) async throws {
    try await owner.script(
      """
      CREATE OR REPLACE FUNCTION pg_catalog.pg_notification_queue_usage() RETURNS double precision
      LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT \(share)::double precision'
      """)
  }

  @Test func `writers send no wake-up while the queue is half full`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    var events = Listener(options: database.options(.owner), channels: ["settled"]).events.makeAsyncIterator()
    guard case .listening = await events.next() else { throw CancellationError() }
    for (share, payload) in [(0.5, "lost"), (0.49, "sent")] {
      try await fill(owner, share)
      // A session that has planned a call of the server's function keeps it.
      let writer = try await database.connect()
      try await writer.execute("SELECT settled.notify(\(payload))")
      await writer.close()
    }
    guard case .notification(let first) = await events.next() else { throw CancellationError() }
    #expect(first.payload == "sent")
  }

  @Test func `a node settles within seconds while the queue is half full, and reports the problem`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await fill(owner, 0.6)
    let daemon = try SettledProcess.daemon(database, node: "deaf")
    try await daemon.log("ready")
    try await owner.waitUntilSettled(try await Herd(races: 3, entries: 4).write(owner), within: .seconds(20))
    let status = try await daemon.settlectl("status")
    #expect(status.output.contains("the server's notification queue is half full"), "\(status)")
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
  }
}
