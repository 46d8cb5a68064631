extension Timekeeper {
  /// A timer that fires this much too late shows that the process had been stopped.
  private static let latenessMax: Duration = .seconds(1)
  private static let patience: Duration = .seconds(5)

  /// Waits for an answer's time-out, and some seconds more if the process was stopped meanwhile.
  ///
  /// After SIGSTOP or a suspended machine all timers of the process have expired, while the answer may be waiting in
  /// its socket.
  package func timeOut(after limit: Duration) async throws {
    let begin = boot()
    try await sleep(limit)
    if boot() - begin >= limit + Self.latenessMax { try await sleep(Self.patience) }
  }
}
