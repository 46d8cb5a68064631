@testable import Engine
import Postgres
import TestSupport
import Testing

@Suite("A writer beside a node's mark") struct MarkTests {
  private func oldest(_ session: Connection) async throws -> UInt64 {
    let id = try await session.query("SELECT pg_snapshot_xmin(pg_current_snapshot())::text").one(String.self)
    return try #require(UInt64(id))
  }

  @Test func `a writer that began while the mark was being committed is waited for`() async throws {
    let database = try await SettledDatabase.simulated()
    let (node, writer) = (try await database.connect(), try await database.connect())
    _ = try await node.query(NodeStatements.register(node: "n", version: "v", hasProvider: false))
    let (begun, read, end) = (Gatekeeper(), Gatekeeper(), Gatekeeper())
    let write = Task {
      await begun.wait()
      return try await writer.transaction { transaction in
        let id = try await transaction.query(NodeStatements.transactionID).one(String.self)
        let isMarked = try await transaction.query("SELECT bool_or(needs_notify) FROM settled.node").one(Bool.self)
        read.open()
        await end.wait()
        return (id: UInt64(id), isMarked: isMarked)
      }
    }
    try await node.transaction { transaction in
      try await transaction.execute(NodeStatements.setNeedsNotify(node: "n", true))
      begun.open()
      await read.wait()
    }
    let horizon = try #require(UInt64(await node.query(NodeStatements.transactionID).one(String.self)))
    var mark = NotifyMark()
    mark.arm(horizon, now: .zero)
    let open = try await oldest(node)
    #expect(mark.observe(oldest: open, now: .zero) != nil)
    end.open()
    let silent = try await write.value
    #expect(try !silent.isMarked && #require(silent.id) < horizon)
    // Other databases of the cluster have transactions, too.
    try await untilTrue("the end of older transactions") { try await oldest(node) >= horizon }
    #expect(mark.observe(oldest: horizon, now: .zero) == nil)
  }
}
