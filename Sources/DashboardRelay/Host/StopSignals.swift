@preconcurrency import Dispatch
import Glibc

/// SIGINT, SIGTERM and SIGHUP, which end a run instead of the process, so that its files go with it.
package struct StopSignals: Sendable {
  private let stream: AsyncStream<Int32>

  /// From now on their default action no longer happens.
  package init() {
    stream = AsyncStream { continuation in
      let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.yield(number) }
        source.resume()
        return source
      }
      continuation.onTermination = { _ in
        for source in sources { source.cancel() }
      }
    }
  }

  /// The first one; nil when the task is cancelled. Only one task may wait for it.
  package func first() async -> Int32? {
    for await number in stream { return number }
    return nil
  }

  /// Ends the process by a signal, as its default action does.
  package static func end(by number: Int32) {
    signal(number, SIG_DFL)
    // Threads of tasks have signals blocked.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    raise(number)
  }
}
