import NIOCore

/// Bounds on time, kept by the event loop of a connection.
enum Deadline {
  /// The result of the work, or `late` once the time is up; the work is then cancelled and no longer waited for.
  static func bound(
    _ work: @escaping @Sendable () async -> Response, to limit: Duration, on loop: any EventLoop,
    late: () -> Response
  ) async -> Response {
    let task = Task { await work() }
    // Only the first result counts; nil is the deadline.
    let first = loop.makePromise(of: Response?.self)
    let timer = loop.scheduleTask(in: TimeAmount(limit)) {
      task.cancel()
      first.succeed(nil)
    }
    Task { first.succeed(await task.value) }
    return await withTaskCancellationHandler {
      let response = try? await first.futureResult.get()
      timer.cancel()
      return response ?? late()
    } onCancel: {
      task.cancel()
    }
  }

  /// Does the work, and closes the channel where it takes longer: for bytes that do not come, or are not taken.
  static func closing<Value>(
    _ channel: any Channel, after limit: Duration, _ work: () async throws -> Value
  ) async throws -> Value {
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    defer { timer.cancel() }
    return try await work()
  }
}
