package import Engine
import Synchronization

/// A node's clocks whose first timer fires at once, when by the boot clock so much time has passed.
package final class StoppedTime: Sendable {
  private let span: Duration
  private let isOver = Mutex(false)
  private let fired: AsyncStream<Void>
  private let fire: AsyncStream<Void>.Continuation

  package init(for span: Duration) {
    self.span = span
    (fired, fire) = AsyncStream<Void>.makeStream()
  }

  /// Waits for the first timer.
  package func untilFired() async {
    for await _ in fired { return }
  }

  package var timekeeper: Timekeeper {
    let host = TestTime.host
    return Timekeeper(
      now: host.now, boot: { [self] in host.boot() + (isOver.withLock { $0 } ? span : .zero) }, bootId: host.bootId,
      wall: host.wall,
      sleep: { [self] limit in
        let isFirst = isOver.withLock { isOver in
          defer { isOver = true }
          return !isOver
        }
        guard isFirst else { return try await host.sleep(limit) }
        fire.finish()
      },
      draw: host.draw)
  }
}
