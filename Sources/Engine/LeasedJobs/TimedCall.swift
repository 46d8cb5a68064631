/// A call with a time-out that holds whether or not the call heeds its cancellation.
struct TimedCall<Reply: Sendable>: Sendable {
  let result: Result<Reply, any Error>
  /// The call, where it goes on after its time.
  let unended: Task<Reply, any Error>?

  /// Cancellation ends the wait at once.
  init(atMost limit: Duration, time: Timekeeper, _ call: @escaping @Sendable () async throws -> Reply) async {
    let task = Task { try await call() }
    let (ends, end) = AsyncStream<Bool>.makeStream()
    Task {
      _ = await task.result
      end.yield(true)
    }
    let timer = Task {
      try await time.sleep(limit)
      end.yield(false)
    }
    defer { timer.cancel() }
    for await isDone in ends {
      if isDone {
        result = await task.result
        unended = nil
        return
      }
      break
    }
    task.cancel()
    let text = "no answer within \(limit.milliseconds) ms"
    result = .failure(Task.isCancelled ? CancellationError() : EngineError(.callTimeout, text))
    unended = task
  }
}
