import Dispatch
import Synchronization

/// The event that a test waited for did not come in time.
package struct TimeLimitError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// Runs `body`, or throws after `limit` and cancels it: a wait that says what it waited for.
package func within<Value: Sendable>(
  _ limit: Duration, _ what: @autoclosure () -> String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await body() }
  let isLate = Mutex(false)
  let timer = DispatchSource.makeTimerSource(queue: .global())
  timer.schedule(deadline: .now() + limit / .seconds(1))
  timer.setEventHandler {
    isLate.withLock { $0 = true }
    task.cancel()
  }
  timer.resume()
  defer { timer.cancel() }
  do {
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  } catch  where isLate.withLock({ $0 }) {
    throw TimeLimitError(description: "\(what()) did not come within \(limit)")
  }
}
