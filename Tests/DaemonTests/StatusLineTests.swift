import Daemon
import DaemonSupport
import Engine
import Glibc
import Operations
import Postgres
import ServiceManager
import TestSupport
import Testing

@Suite("The status line of the service manager")
struct StatusLineTests {
  @Test func `the line is degraded with each problem that status shows, and ready again without one`() async throws {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    let listener = NotifyListener()
    let report = ServiceReport(
      ServiceManager(environment: ["NOTIFY_SOCKET": listener.address], pid: getpid()), time: TestTime.host)
    let monitor = NodeMonitor(time: TestTime.host)
    report.follow(monitor)
    let node = TestNode(database)

    /// The line after the next poll that `isWanted`.
    @Sendable func line(_ isWanted: @escaping @Sendable (NodeSnapshot) -> Bool) async throws -> String {
      try await within(.seconds(20), "a poll") {
        await node.until { observation in
          monitor.note(observation)
          report.note(observation)
          guard case .polled(let snapshot) = observation else { return false }
          return isWanted(snapshot)
        }
      }
      var last = ""
      while let message = listener.next() {
        last = message.last { $0.hasPrefix("STATUS=") } ?? last
      }
      return last
    }

    await node.until { if case .listening = $0 { true } else { false } }
    #expect(!(try await line { _ in true }).contains("degraded: w"))
    try await owner.script(
      """
      INSERT INTO settled.problem (name, problem, since) VALUES
        ('ledger', 'ledger differences: 2 (settlectl ledger verify)', settled.clock()),
        ('withdrawals', E'withdrawals are stopped: why\\nREADY=1', settled.clock());
      NOTIFY settled;
      """)
    let degraded = try await line { $0.problems.count == 2 }
    // Every local user may read it: a reason or an error can name somebody.
    #expect(degraded.hasPrefix("STATUS=degraded: ledger; withdrawals; "))
    let problems = NodeStatus(monitor.current, now: TestTime.host.now()).problems
    #expect(problems.count >= 2)
    try await node.stop()
  }

  @Test func `a line with many problems says how many are left out`() {
    let problems = (1...50).map { "schedule nightly\($0) fails for a reason" }
    let line = StatusLine.degraded(problems)
    #expect(line.hasPrefix("degraded: schedule nightly1 fails for a reason; schedule nightly2 "))
    #expect(line.hasSuffix(" more (settlectl status)") && line.count < 400)
    #expect(StatusLine.degraded([String(repeating: "x", count: 1000)]).count < 400)
  }
}
