@testable import Engine
@testable import Operations
import TextCoding
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Background work", .timeLimit(.minutes(1))) struct BackgroundTests {
  /// Chores that nobody waits for, in batches of two.
  private struct Background: TwoStepJob {
    let chores = ChoreJob()
    let name = "chore"
    let largestBatch = 2
    let isBackground = true
    let progress: String? = "SELECT count(*) FILTER (WHERE done), count(*) FROM chore"

    var source: DueSource { chores.source }
    func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] {
      try await chores.gather(keys, at: now, in: transaction)
    }
    func key(of chore: Int64) -> Int64 { chore }
    func apply(_ ids: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
      try await chores.apply(ids, at: now, in: transaction)
    }
  }

  /// A node's time whose pauses last until the test ends them.
  private final class Pauses: Sendable {
    private let state = Mutex((begun: 0, waiting: [CheckedContinuation<Void, Never>]()))

    var begun: Int { state.withLock { $0.begun } }

    func pause() async {
      await withCheckedContinuation { waiting in
        state.withLock { state in
          state.begun += 1
          state.waiting.append(waiting)
        }
      }
    }

    func end() {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      for one in waiting { one.resume() }
    }

    var time: Timekeeper {
      let host = TestTime.host
      return Timekeeper(
        now: host.now, boot: host.boot, bootId: host.bootId, wall: host.wall, sleep: { [self] _ in await pause() },
        draw: host.draw)
    }
  }

  @Test func `background work yields before each batch while other work runs, and resumes afterwards`() async throws {
    let chores = try await Chores(6)
    let pauses = Pauses()
    let isBusy = Mutex(true)
    var made = chores.context(time: pauses.time)
    let foreground = made.foreground
    // Each item that is on its way sees other work begin.
    made.beforeDecision = { _, _ in if isBusy.withLock({ $0 }) { foreground.begin() } }
    let runner = JobRunner(Background(), in: made)
    let drained = Task { await runner.runDue(until: StopFlag(), due: .zero).items }
    try await untilTrue("the pause") { pauses.begun == 1 }
    #expect(try await chores.undone.count == 5)
    foreground.end()
    try await untilTrue("the next pause") { pauses.begun == 2 }
    #expect(try await chores.undone.count == 3)
    // A batch of two began two turns: it is the pause's end that lets the next one through.
    pauses.end()
    try await untilTrue("the third pause") { pauses.begun == 3 }
    #expect(try await chores.undone.count == 1)
    isBusy.withLock { $0 = false }
    for _ in 0..<4 { foreground.end() }
    #expect(await drained.value == 6)
    pauses.end()
  }

  @Test func `background work does not yield to itself, and foreground work does not yield to it`() async throws {
    let chores = try await Chores(6)
    let pauses = Pauses()
    let context = chores.context(time: pauses.time)
    context.foreground.begin()
    // Foreground work takes no pause.
    #expect(try await JobRunner(ChoreJob(), in: context).runAllDue() == 6)
    context.foreground.end()
    try await chores.add(10...13)
    #expect(try await JobRunner(Background(), in: context).runAllDue() == 4)
    #expect(pauses.begun == 0)
  }

  @Test func `background work reports its progress`() async throws {
    let chores = try await Chores(5)
    let context = chores.context()
    let runner = JobRunner(Background(), in: context)
    let monitor = NodeMonitor(time: TestTime.host)
    monitor.note(.started(node: "n", afterCrash: false))
    let report = StatusReport(
      node: "n", version: "v", schemaVersion: 1, works: [runner, JobRunner(ChoreJob(), in: context)],
      monitor: monitor, pool: chores.pool, time: TestTime.host)
    func progress() async -> JSONValue? { await report.job("chore")?["progress"] }
    #expect(await progress() == ["done": 0, "total": 5])
    try await chores.session.execute("UPDATE chore SET done = true WHERE id < 4")
    #expect(await progress() == ["done": 3, "total": 5])
    try await chores.session.execute("DELETE FROM chore")
    #expect(await progress() == .null)
  }
}
