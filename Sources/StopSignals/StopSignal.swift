@preconcurrency import Dispatch
import Glibc
import Synchronization

/// A signal that asks the process to end.
package enum StopSignal: String, Sendable, CaseIterable {
  case terminate = "SIGTERM"
  case interrupt = "SIGINT"
  case hangUp = "SIGHUP"

  private var number: Int32 {
    switch self {
    case .terminate: SIGTERM
    case .interrupt: SIGINT
    case .hangUp: SIGHUP
    }
  }

  /// Written to by the handler; the last stream of the process reads the other end.
  private static let pipe = Atomic<Int32>(-1)

  /// The signals as they come, from now on; their default action no longer happens. A process has one stream at a time.
  ///
  /// Dispatch sets up a source of signals later, on another thread. A signal that comes before that would be lost, so
  /// a handler writes each one to a pipe.
  package static func stream(of signals: [StopSignal] = [.terminate, .interrupt]) -> AsyncStream<StopSignal> {
    AsyncStream { continuation in
      var ends: [Int32] = [-1, -1]
      guard Glibc.pipe(&ends) == 0 else { fatalError("no pipe for signals: error \(errno)") }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      let (reading, writing) = (ends[0], ends[1])
      pipe.store(writing, ordering: .sequentiallyConsistent)
      let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
      source.setEventHandler {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = max(0, read(reading, &numbers, numbers.count))
        for number in numbers[..<count] {
          if let stop = signals.first(where: { $0.number == Int32(number) }) { continuation.yield(stop) }
        }
      }
      source.resume()
      for stop in signals {
        signal(stop.number) { number in
          let before = errno
          var byte = UInt8(truncatingIfNeeded: number)
          _ = write(StopSignal.pipe.load(ordering: .sequentiallyConsistent), &byte, 1)
          errno = before
        }
      }
      // The pipe stays open: a later signal must not find it closed, because that ends the process by SIGPIPE.
      continuation.onTermination = { _ in source.cancel() }
    }
  }

  /// Ends the process by the signal, as its default action does.
  package func endProcess() {
    signal(number, SIG_DFL)
    // Threads of tasks have signals blocked.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    raise(number)
  }
}
