import Operations
import ControlAPI
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("A command of the process")
struct LocalCommandTests {
  /// A dispatcher with one such command, which counts its effects.
  private final class Counted: Sendable {
    private let effects = Mutex(0)
    var count: Int { effects.withLock { $0 } }

    var command: Command {
      Command(
        CommandDescription(
          "count", .post, "/v1/count", level: .operate, summary: "Counts.",
          parameters: [.optional("by", .integer, "Anything.")], answer: .integer),
        .local { _ in
          let count = self.effects.withLock { count in
            count += 1
            return count
          }
          return CommandChange(target: "count", before: JSON(text: "0"), after: JSON(text: "\(count)"))
        })
    }
  }

  @Test func `a process command takes effect once under its request id, and refuses another's id`() async throws {
    let database = try await SettledDatabase.real()
    let counted = Counted()
    let dispatcher = CommandDispatcher([counted.command], pool: database.pool(), node: "test")
    let caller = AuthorizedPeer(uid: 7, gid: 7, pid: 7, level: .operate)
    let first = CommandCall(caller: caller, requestId: "a", values: [:])
    #expect(try await dispatcher.run(counted.command, first) == "1")
    #expect(try await dispatcher.run(counted.command, first) == "1")
    let other = CommandCall(caller: caller, requestId: "a", values: ["by": .integer(2)])
    await #expect(throws: CommandError.self) { try await dispatcher.run(counted.command, other) }
    #expect(counted.count == 1)
    let owner = try await database.connect()
    #expect(try await owner.query("SELECT count(*) FROM settled.audit").one(Int64.self) == 1)
  }
}
