extension Timekeeper {
  /// A timer that fires so much later than it was set for shows that the process had been stopped.
  private static let latenessMax: Duration = .seconds(1)
  private static let patience: Duration = .seconds(5)

  /// Waits for the time of an answer, and some seconds more where the process was stopped meanwhile.
  ///
  /// A process that SIGSTOP or a suspended machine had stopped finds all of its timers over, while the answer may lie
  /// in its socket.
  package func timeOut(after limit: Duration) async throws {
    let begin = boot()
    try await sleep(limit)
    if boot() - begin >= limit + Self.latenessMax { try await sleep(Self.patience) }
  }
}
