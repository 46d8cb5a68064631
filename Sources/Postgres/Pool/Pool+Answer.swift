internal import Synchronization

extension Pool {
  /// Lends a connection to `body` like `withConnection`, but waits at most `limit` in all.
  ///
  /// Throws `timeout` after that. The body is not interrupted: it ends by its own limits, and nobody hears how.
  nonisolated package func answer<R: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable (Connection) async throws -> R
  ) async throws -> R {
    let waiting = Mutex<CheckedContinuation<Result<R, any Error>, Never>?>(nil)
    let finish = { @Sendable (result: Result<R, any Error>) in
      waiting.withLock { waiting in waiting.take() }?.resume(returning: result)
    }
    let result = await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
      let timer = Task {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        finish(.failure(PostgresError(.timeout, "the database did not answer within \(limit.milliseconds) ms")))
      }
      Task {
        do {
          finish(.success(try await withConnection(body)))
        } catch {
          finish(.failure(error))
        }
        timer.cancel()
      }
    }
    return try result.get()
  }
}
