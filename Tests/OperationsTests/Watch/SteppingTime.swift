import Engine
import Synchronization
import TestSupport

/// A node's clock that moves on when somebody sleeps, and by nothing else.
final class SteppingTime: Sendable {
  private let clock = Mutex(Duration.zero)
  /// Called in each sleep.
  private let during: @Sendable (Duration) async throws -> Void

  init(during: @escaping @Sendable (Duration) async throws -> Void = { _ in }) {
    self.during = during
  }

  func advance(_ span: Duration) { clock.withLock { $0 += span } }

  var timekeeper: Timekeeper {
    let host = TestTime.host
    return Timekeeper(
      now: { self.clock.withLock { $0 } }, boot: host.boot, bootId: host.bootId, wall: host.wall,
      sleep: { span in
        self.advance(span)
        try await self.during(span)
      }, draw: host.draw)
  }
}
