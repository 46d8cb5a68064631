import Glibc
import ServiceManager
import TestSupport
import Testing

struct WatchdogTests {
  @Test(arguments: [
    // Progress once an interval: each is a ping.
    ([0, 15, 30, 45], [true, true, true, true]),
    // Busy: pings keep a second's distance.
    ([0, 0.1, 0.9, 1, 1.1, 2], [true, false, false, true, false, true]),
    // A loop that was stuck and continues: a ping at once.
    ([0, 500, 500.5], [true, true, false]),
    ([], []),
  ])
  func `each progress of the loop causes a ping, within a minimum distance`(moments: [Double], pings: [Bool]) {
    var gate = WatchdogGate(interval: .seconds(15))

    #expect(moments.map { gate.noteProgress(at: .seconds($0)) } == pings)
  }

  @Test func `progress once an interval always pings the manager in time`() {
    for interval in [Duration.milliseconds(50), .seconds(1), .seconds(15), .seconds(300)] {
      for step in 1...100 {
        var gate = WatchdogGate(interval: interval)
        var now = Duration.zero
        var last = Duration.zero
        // Steps that are as long as they may be, between shorter ones that may just miss a ping.
        for turn in 0..<100 {
          if gate.noteProgress(at: now) { last = now }
          now += turn.isMultiple(of: 2) ? interval * step / 100 : interval
          #expect(now - last < interval * 3 / 2)
        }
      }
    }
  }

  @Test func `a stuck loop sends no pings, and a short limit is halved`() throws {
    let listener = NotifyListener()
    let manager = ServiceManager(
      environment: ["NOTIFY_SOCKET": listener.address, "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"],
      pid: getpid())
    let watchdog = Watchdog(manager)

    #expect(manager.watchdogInterval == .seconds(15))
    #expect(listener.next() == nil)
    watchdog.noteProgress(at: .seconds(1))
    watchdog.noteProgress(at: .seconds(1.5))
    #expect(listener.next() == ["WATCHDOG=1"])
    #expect(listener.next() == nil)
    watchdog.noteProgress(at: .seconds(16))
    #expect(listener.next() == ["WATCHDOG=1"])
  }
}
