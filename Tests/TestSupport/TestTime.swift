import HostProcess
import HostClock
package import Engine
import Synchronization

/// The machine's own clocks, for tests that replace some of them.
package enum TestTime {
  package static let host = Host.timekeeper
}

extension Timekeeper {
  /// The machine's clocks, but each look at the time finds it this much later than the look before.
  package static func striding(_ stride: Duration) -> Timekeeper {
    let host = TestTime.host
    let steps = StridingTime(stride)
    return Timekeeper(
      now: { steps.now() }, boot: host.boot, bootId: host.bootId, wall: host.wall, sleep: host.sleep, draw: host.draw)
  }
}

private final class StridingTime: Sendable {
  private let stride: Duration
  private let clock = Mutex(Duration.zero)

  init(_ stride: Duration) { self.stride = stride }

  func now() -> Duration {
    clock.withLock { now in
      now += stride
      return now
    }
  }
}
