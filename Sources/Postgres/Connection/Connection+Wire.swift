internal import CLibpq
internal import Dispatch
internal import Glibc

/// Reading, writing and waiting. All of it runs on the connection's queue.
extension Connection {
  func watch() {
    socket.start(
      readable: { [weak self] in self?.assumeIsolated { $0.read() } },
      writable: { [weak self] in self?.assumeIsolated { $0.write() } },
      alarm: { [weak self] in self?.assumeIsolated { $0.ring() } })
  }

  private func read() {
    guard let pg = socket.pg else { return }
    guard PQconsumeInput(pg) == 1 else {
      // Messages that arrived before the end, such as the reason for it, are still to be read.
      if PQisBusy(pg) == 1 || operation == nil { loseSocket() } else { wake() }
      return
    }
    write()
    let isReady = PQisBusy(pg) == 0
    while let note = PQnotifies(pg) {
      notifications.append(Notification(note.pointee))
      PQfreemem(note)
    }
    // Results that came before the terminationNotice are still to be read; nothing comes after it.
    if socket.sink.terminationNotice != nil, operation == nil || !isReady { loseSocket() }
    if isReady { wake() }
  }

  /// Sends what libpq holds, and watches for room while something is left.
  func write() {
    guard let pg = socket.pg else { return }
    let left = PQflush(pg)
    socket.watchWritable(left == 1)
    if left < 0 { wake() }
  }

  private func ring() {
    alarm = nil
    guard let deadline else { return }
    if deadline <= .now { wake() } else { setDeadline(deadline) }
  }

  func setDeadline(_ instant: ContinuousClock.Instant?) {
    deadline = instant
    guard let instant else { return }
    if let alarm, alarm <= instant { return }
    alarm = instant
    socket.setAlarm(after: ContinuousClock.now.duration(to: instant))
  }

  func wake() {
    waiter.take()?.resume()
  }

  /// Suspends until something has happened; the caller checks its condition again.
  func wait() async {
    precondition(waiter == nil, "two tasks are waiting on one connection")
    await withCheckedContinuation { waiter = $0 }
  }

  /// The next result, nil between two; throws when the connection is lost or the server has not answered in time.
  func nextResult() async throws(PostgresError) -> OpaquePointer? {
    while true {
      guard let pg = socket.pg else { throw loss ?? .lost }
      if PQisBusy(pg) == 0 { return PQgetResult(pg) }
      if socket.sink.terminationNotice != nil {
        loseSocket()
        continue
      }
      if let deadline, deadline <= .now { try expire() }
      await wait()
    }
  }

  /// The server has not answered: first the statement is cancelled, then the connection is given up.
  private func expire() throws(PostgresError) {
    guard let operation else { return }
    if operation.interruption == nil, !operation.isFinal {
      cancelOperation(operation.id, because: .timeout)
      return
    }
    let waited = operation.began.duration(to: .now)
    let answer = operation.isFinal ? "no answer" : "no answer, not even to a cancel request,"
    let error = PostgresError(
      .connection, "\(answer) in \(waited.roundedUp(to: .seconds(1))) s: connection closed")
    lose(error)
    throw error
  }

  func cancelOperation(_ id: Int?, because interruption: Operation.Interruption) {
    guard let id, operation?.id == id, operation?.interruption == nil, !socket.isClosed else { return }
    operation?.interruption = interruption
    setDeadline(.now + options.answerGrace)
    cancelsInFlight += 1
    socket.canceller.send { [self] in
      socket.queue.async {
        self.assumeIsolated {
          $0.cancelsInFlight -= 1
          $0.wake()
        }
      }
    }
  }

  /// A late cancel request must not meet the next statement.
  func settleCancels() async {
    let limit = ContinuousClock.Instant.now + options.answerGrace
    setDeadline(limit)
    while cancelsInFlight > 0, !socket.isClosed {
      if limit <= .now {
        return lose(PostgresError(.connection, "a cancel request was not accepted: connection closed"))
      }
      await wait()
    }
    setDeadline(nil)
  }

  private func loseSocket() {
    lose(socket.sink.terminationNotice.map { PostgresError(.connection, server: $0) } ?? .lost)
  }

  /// Closes the connection for a reason, which every later use gets as its error.
  func lose(_ error: PostgresError) {
    if loss == nil { loss = error }
    socket.close()
    wake()
  }
}

extension PostgresError {
  static let lost = PostgresError(.connection, "the server closed the connection")
}

extension Notification {
  fileprivate init(_ note: PGnotify) {
    channel = note.relname.map { String(cString: $0) } ?? ""
    payload = note.extra.map { String(cString: $0) } ?? ""
    pid = note.be_pid
  }
}
