import Engine
import Operations
import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("The public health of a node")
struct NodeStatusTests {
  @Test func `public health shows that the database is unreachable and the error's code, but no host and no user`() {
    let monitor = NodeMonitor(time: TestTime.host)
    let error = PostgresError(.connection, "connection to db.internal failed for user ann", sqlState: "08006")
    monitor.note(.databaseAway(error))
    let status = NodeStatus(monitor.current, now: .zero)
    #expect(status.problems.first?.contains("db.internal") == true)
    #expect(status.problemCodes == ["database-away 08006", "schema-unchecked"])
  }

  @Test func `public health lists the names of the current problems, and not their texts`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.execute(
      """
      INSERT INTO settled.problem (name, problem, since)
      VALUES ('schedule nightly', 'failed: key (card)=(4111) exists', settled.clock() - interval '1 hour'),
        ('ledger', 'ledger differences: 2', settled.clock())
      """)
    let node = TestNode(database)
    let monitor = NodeMonitor(time: TestTime.host)
    await node.until { observation in
      monitor.note(observation)
      if case .polled = observation { return true }
      return false
    }
    try await node.stop()
    let status = NodeStatus(monitor.current, now: TestTime.host.now())
    #expect(status.problems.contains("failed: key (card)=(4111) exists"))
    #expect(status.problemCodes.prefix(2) == ["schedule nightly", "ledger"])
    #expect(!status.problemCodes.contains { $0.contains("4111") })
  }

  @Test func `jobs of the daemon's own housekeeping count what they did`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let node = TestNode(database)
    try await owner.execute("SELECT settled.emit('test', 'k', '{}', clock_timestamp())")
    let monitor = NodeMonitor(time: TestTime.host)
    try await within(.seconds(20), "the counts") {
      await node.until { observation in
        monitor.note(observation)
        // A fresh database has schedules whose ticks are planned at once.
        return ["event-numbering", "schedule-planning"].allSatisfy { monitor.current.jobs[$0]?.items ?? 0 > 0 }
      }
    }
    try await node.stop()
  }
}
