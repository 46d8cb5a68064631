import Synchronization

/// A value that is set once and awaited by any number of tasks; a cancelled one gets an error.
final class AsyncResult<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())

  var value: Value? { state.withLock(\.value) }

  func set(_ value: Value) {
    state.withLock { state in
      state.value = value
      for waiting in state.waiting { waiting.finish() }
      state.waiting = []
    }
  }

  func get() async throws -> Value {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    state.withLock { state in
      if state.value == nil { state.waiting.append(continuation) } else { continuation.finish() }
    }
    for await _ in stream {}
    guard let value else { throw CancellationError() }
    return value
  }
}
