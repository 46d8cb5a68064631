import Engine
import Daemon
import Glibc
import Postgres
import ServiceManager
import Synchronization
import TestSupport
import Testing

struct ServiceReportTests {
  private let listener = NotifyListener()

  @Test func `READY is sent once, after the first contact with the database`() {
    let report = ServiceReport(manager(), time: .standing)

    #expect(listener.next() == nil)
    report.note(.started(node: "a", afterCrash: false))
    report.note(.started(node: "a", afterCrash: false))

    #expect(listener.next() == ["READY=1", "STATUS=ready"])
    #expect(listener.next() == nil)
  }

  @Test func `READY is sent after its time without a database, with that status`() async {
    let report = ServiceReport(manager(), time: .standing)

    report.note(.databaseAway(PostgresError(.connection, "away")))
    await report.readyAtLatest()
    await report.readyAtLatest()
    report.note(.started(node: "a", afterCrash: false))
    report.note(.databaseBack)

    #expect(listener.next() == ["STATUS=degraded: the database is unreachable"])
    #expect(listener.next() == ["READY=1", "STATUS=degraded: the database is unreachable"])
    #expect(listener.next() == ["STATUS=the database is back"])
    #expect(listener.next() == nil)
  }

  @Test func `STOPPING is sent once, and nothing after it`() async {
    let report = ServiceReport(manager(), time: .standing)

    report.stopping()
    report.stopping()
    report.note(.started(node: "a", afterCrash: false))
    report.note(.databaseAway(PostgresError(.connection, "away")))
    await report.readyAtLatest()

    #expect(listener.next() == ["STOPPING=1", "STATUS=stopping"])
    #expect(listener.next() == nil)
  }

  @Test func `only iterations of the loop feed the watchdog`() {
    let report = ServiceReport(manager(["WATCHDOG_USEC": "40"]), time: .running)
    #expect(listener.next() == ["WATCHDOG=1"])

    report.note(.listening)
    report.note(.jobEnded(job: "a"))
    report.note(.asleep)
    #expect(listener.next() == nil)
    report.note(.iteration)
    #expect(listener.next() == ["WATCHDOG=1"])
  }

  @Test func `the loop naps no longer than the watchdog allows`() {
    #expect(ServiceReport.heartbeatInterval(for: manager()) == nil)
    #expect(ServiceReport.heartbeatInterval(for: manager(["WATCHDOG_USEC": "30000000"])) == .seconds(15))
  }

  private func manager(_ more: [String: String] = [:]) -> ServiceManager {
    ServiceManager(
      environment: ["NOTIFY_SOCKET": listener.address].merging(more) { _, new in new }, pid: getpid())
  }
}

extension Timekeeper {
  /// Sleeps end at once, and time stands.
  fileprivate static var standing: Timekeeper { with { .zero } }

  /// Each reading is a second later.
  fileprivate static var running: Timekeeper {
    let seconds = Seconds()
    return with { seconds.next() }
  }

  private static func with(_ now: @escaping @Sendable () -> Duration) -> Timekeeper {
    Timekeeper(
      now: now, boot: now, bootId: "test", wall: { Timestamp(microseconds: 0) }, sleep: { _ in }, draw: { 0.5 })
  }
}

private final class Seconds: Sendable {
  private let count = Atomic(0)

  func next() -> Duration { .seconds(count.add(1, ordering: .relaxed).newValue) }
}
