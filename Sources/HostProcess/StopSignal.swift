@preconcurrency import Dispatch
import Glibc

/// A signal that asks the process to end.
package enum StopSignal: String, Sendable, CaseIterable {
  case terminate = "SIGTERM"
  case interrupt = "SIGINT"

  private var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    }
  }

  /// The signals as they come, from now on; their default action no longer happens.
  package static func stream() -> AsyncStream<StopSignal> {
    AsyncStream { continuation in
      let sources = allCases.map { stop in
        signal(stop.number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: stop.number, queue: .global())
        source.setEventHandler { continuation.yield(stop) }
        source.resume()
        return source
      }
      continuation.onTermination = { _ in
        for source in sources { source.cancel() }
      }
    }
  }
}
