import NIOCore
import Synchronization

/// Bounds on time, kept by the event loop of a connection.
enum Deadline {
  /// The result of the work, or `late` once the time is up; the work is then cancelled and no longer waited for.
  static func bound(
    _ work: @escaping @Sendable () async -> Response, to limit: Duration, on loop: any EventLoop,
    late: @escaping @Sendable () -> Response
  ) async -> Response {
    let task = Task { await work() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let first = First(continuation)
        let timer = loop.scheduleTask(in: TimeAmount(limit)) {
          task.cancel()
          first.take()?.resume(returning: late())
        }
        Task {
          let response = await task.value
          guard let waiting = first.take() else { return }
          timer.cancel()
          waiting.resume(returning: response)
        }
      }
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

  /// A continuation for whoever comes first.
  private final class First: Sendable {
    private let waiting: Mutex<CheckedContinuation<Response, Never>?>

    init(_ continuation: CheckedContinuation<Response, Never>) {
      waiting = Mutex(continuation)
    }

    /// Nil for whoever comes second.
    func take() -> CheckedContinuation<Response, Never>? {
      waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
    }
  }
}
