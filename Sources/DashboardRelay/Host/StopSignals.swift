@preconcurrency import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP, which end a run instead of the process, so that its files go with it.
package struct StopSignals: Sendable {
  private let stream: AsyncStream<Void>

  /// From now on their default action no longer happens.
  package init() {
    stream = AsyncStream { continuation in
      let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        return source
      }
      continuation.onTermination = { _ in
        for source in sources { source.cancel() }
      }
    }
  }

  /// Returns at the first one, or when the task is cancelled.
  package func first() async {
    for await _ in stream { return }
  }
}
