import HostProcess
import HostClock

/// The machine's own clocks, for tests that replace some of them.
package enum TestTime {
  package static let host = Host.timekeeper
}
