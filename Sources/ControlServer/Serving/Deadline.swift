import NIOCore
import Synchronization

/// Bounds on time, kept by the event loop of a connection.
enum Deadline {
  /// What the work yields, or `late` once the time is up; the work is then cancelled and no longer waited for.
  static func bound(
    _ work: @escaping @Sendable () async -> Answer, to limit: Duration, on loop: any EventLoop,
    late: @escaping @Sendable () -> Answer
  ) async -> Answer {
    let task = Task { await work() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let first = First(continuation)
        let timer = loop.scheduleTask(in: TimeAmount(limit)) {
          task.cancel()
          first.resume(late)
        }
        Task {
          let answer = await task.value
          timer.cancel()
          first.resume { answer }
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

  /// Resumes with the first answer and drops the second.
  private final class First: Sendable {
    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) {
      self.continuation = Mutex(continuation)
    }

    func resume(_ answer: () -> Answer) {
      let waiting = continuation.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      guard let waiting else { return }
      waiting.resume(returning: answer())
    }
  }
}
