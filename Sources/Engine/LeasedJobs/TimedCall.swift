/// A call with a time-out, whether or not the call responds to its cancellation.
struct TimedCall<Reply: Sendable>: Sendable {
  let result: Result<Reply, any Error>
  /// The call, if it continues after its cancellation.
  let unended: Task<Reply, any Error>?

  /// A cancelled call gets a little time to end.
  private static var graceMax: Duration { .seconds(1) }

  /// Cancellation ends the call before its time.
  init(atMost limit: Duration, time: Timekeeper, _ call: @escaping @Sendable () async throws -> Reply) async {
    let task = Task { try await call() }
    guard await !Self.ends(task, before: { try await time.timeOut(after: limit) }) else {
      // A cancellation from within the call is an error like any other.
      result = await task.result.mapError { error in
        error is CancellationError ? EngineError(.call, "the call was cancelled") : error
      }
      unended = nil
      return
    }
    let text = "no response within \(limit.milliseconds) ms"
    let reason: any Error = Task.isCancelled ? CancellationError() : EngineError(.call, text)
    task.cancel()
    // Unstructured, because this task may be cancelled itself.
    let hasEnded = await Task { await Self.ends(task, before: { try await time.sleep(Self.graceMax) }) }.value
    // The error of a cancelled call is ignored. A reply that it returns nevertheless is valid.
    result = hasEnded ? await task.result.mapError { _ in reason } : .failure(reason)
    unended = hasEnded ? nil : task
  }

  private static func ends(
    _ task: Task<Reply, any Error>, before timeOut: @escaping @Sendable () async throws -> Void
  ) async -> Bool {
    let (ends, end) = AsyncStream<Bool>.makeStream()
    Task {
      _ = await task.result
      end.yield(true)
    }
    let timer = Task {
      try await timeOut()
      end.yield(false)
    }
    defer { timer.cancel() }
    for await hasEnded in ends { return hasEnded }
    return false
  }
}
