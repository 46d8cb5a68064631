package import Engine
import Postgres
import Synchronization

/// Commands that ran while the database was unreachable: they are reported immediately, and recorded when it is back.
///
/// The audit rows wait in order, as long as necessary, up to a limit; if the process ends meanwhile, the journal
/// entries remain.
package final class LateAudits: Sendable {
  /// Writes a row, given the time since its command ran.
  typealias Row = @Sendable (_ age: Duration) async throws -> Void

  private struct State {
    var rows: [(name: String, at: Duration, write: Row)] = []
    var isWriting = false
  }

  /// The text of the journal entry, with `command`, `target`, `uid`, `gid` and `pid`.
  package static let text = "a command ran while the database was unreachable; its audit row will follow"
  package static let lostText = "a command ran while the database was unreachable; it will have no audit row"

  /// Operators run only a few commands on a node without a database.
  static let rowsMax = 100
  private static let backoff = Backoff(first: .milliseconds(500), factor: 2, longest: .seconds(15))

  private let time: Timekeeper
  private let observe: @Sendable (Observation) -> Void
  private let state = Mutex(State())

  package init(time: Timekeeper, observe: @escaping @Sendable (Observation) -> Void) {
    self.time = time
    self.observe = observe
  }

  func add(_ command: Command, _ call: CommandCall, _ done: CommandChange, write row: @escaping Row) {
    let (isTaken, begins) = state.withLock { state -> (Bool, Bool) in
      guard state.rows.count < Self.rowsMax else { return (false, false) }
      state.rows.append((command.name, time.now(), row))
      defer { state.isWriting = true }
      return (true, !state.isWriting)
    }
    observe(
      .recorded(
        text: isTaken ? Self.text : Self.lostText, fields: call.fields(command, target: done.target)))
    if begins { Task { await write() } }
  }

  private func write() async {
    var failures = 0
    while let row = next() {
      do {
        try await row.write(time.now() - row.at)
      } catch let error as PostgresError where CommandDispatcher.isSilent(error.verdict) {
        failures += 1
        try? await time.sleep(Self.backoff.delay(afterAttempts: failures, draw: time.draw()))
        continue
      } catch {
        // It would fail again, and must not keep the others from being written.
        observe(.warning(job: "audit", key: row.name, text: "the audit row could not be written: \(error)"))
      }
      failures = 0
      state.withLock { _ = $0.rows.removeFirst() }
    }
  }

  /// Nil once there is none, and nothing more is written.
  private func next() -> (name: String, at: Duration, write: Row)? {
    state.withLock { state in
      state.isWriting = !state.rows.isEmpty
      return state.rows.first
    }
  }
}
