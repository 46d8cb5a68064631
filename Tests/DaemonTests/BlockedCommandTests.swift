import ControlAPI
import Operations
import Postgres
import DaemonSupport
import TestSupport
import Testing

@Suite("Commands that a hung transaction blocks", .timeLimit(.minutes(3)))
struct BlockedCommandTests {
  @Test func `a hung transaction delays no settlement, and status, drain and undrain still work`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let hung = try await Self.hung(database)
    let node = TestNode(database)
    _ = try await within(.seconds(30), "the first pause") { try await Self.untilAnswered(node) }
    try await hung.transaction { transaction in
      // A row, and not the table: writing the herd analyses all tables.
      try await transaction.execute(
        """
        INSERT INTO settled.job (name, paused) VALUES ('flag-escalation', false)
        ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
        """)
      try await withThrowingTaskGroup { group in
        // As many as run and wait at most: more would be refused at once, and ask again without a pause.
        for _ in 0..<20 {
          group.addTask {
            while !Task.isCancelled { _ = try? await Self.pause(node, "flag-escalation") }
          }
        }
        try await untilTrue("commands that wait") {
          try await owner.query("SELECT count(*) FROM pg_locks WHERE NOT granted").one(Int64.self) > 0
        }
        let races = try await Herd(races: 3, entries: 4).write(owner)
        try await owner.waitUntilSettled(races, within: .seconds(20))
        for command in ["status", "drain", "undrain"] {
          let answer = try await within(.seconds(20), command) { try await node.ask(command) }
          #expect(answer.contains("\"state\": "), "\(command): \(answer)")
        }
        group.cancelAll()
      }
    }
    try await node.stop()
  }

  @Test func `commands that a hung transaction blocks end as unavailable`() async throws {
    let database = try await SettledDatabase.real()
    let hung = try await Self.hung(database)
    let node = TestNode(database)
    _ = try await within(.seconds(30), "the first pause") { try await Self.untilAnswered(node) }
    try await hung.transaction { transaction in
      try await transaction.execute("LOCK TABLE settled.job IN SHARE ROW EXCLUSIVE MODE")
      let kinds = await withTaskGroup { group in
        for _ in 0..<40 {
          group.addTask {
            do {
              _ = try await Self.pause(node, "race-settlement")
              return CommandError.Kind?.none
            } catch {
              return (error as? CommandError)?.kind
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(kinds.allSatisfy { $0 == .unavailable }, "\(kinds)")
    }
    try await node.stop()
  }

  /// A session that may hang in its transaction for as long as a test takes.
  private static func hung(_ database: SettledDatabase) async throws -> Connection {
    var options = database.options(.owner)
    options.idleInTransactionTimeout = .zero
    return try await Connection.connect(options)
  }

  private static func pause(_ node: TestNode, _ job: String) async throws -> String {
    try await node.ask("job.pause", ["name": .text(job)])
  }

  /// The node has met the database once a command that changes something is carried out.
  private static func untilAnswered(_ node: TestNode) async throws -> String {
    while true {
      do { return try await node.ask("job.resume", ["name": .text("race-settlement")]) } catch is CommandError {}
      try await pauseBetweenLooks()
    }
  }
}
