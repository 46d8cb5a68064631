internal import Dispatch

/// Waiting for NOTIFY.
extension Connection {
  /// The notifications that arrive until `instant`, at least one; empty when none did.
  ///
  /// Throws `connection` when the connection is lost meanwhile, `cancelled` when the task is.
  func notifications(until instant: ContinuousClock.Instant) async throws(PostgresError) -> [Notification] {
    await takeTurn()
    defer { passTurn() }
    setDeadline(instant)
    defer { setDeadline(nil) }
    await withTaskCancellationHandler {
      while notifications.isEmpty, !socket.isClosed, instant > .now, !Task.isCancelled { await wait() }
    } onCancel: {
      socket.queue.async { self.assumeIsolated { $0.wake() } }
    }
    defer { notifications = [] }
    if !notifications.isEmpty { return notifications }
    if socket.isClosed { throw loss ?? .lost }
    if Task.isCancelled { throw PostgresError(.cancelled, "the task was cancelled while listening") }
    return []
  }
}
