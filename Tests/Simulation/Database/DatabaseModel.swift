package import Postgres

/// A database as the engine sees it, without a server: a value, from which a history can be replayed.
///
/// It has what decides whether several nodes do their work once and in time. It has no SQL: each statement of the
/// engine is a case of `Statement`. `ConformanceTests` hold it to PostgreSQL, statement by statement.
///
/// - **Statements** read the rows that are committed when they begin (READ COMMITTED). They lock and write their rows
///   one by one. A row that another transaction holds makes a statement wait, skip the row, or fail by `lock_timeout`
///   or as a deadlock. After a wait the row's new version is checked again. The lock stays even where the version does
///   not qualify.
/// - **Sessions** run one statement at a time. What a session holds ends with it: its transaction, the row locks, a
///   node's name, what it listens for.
/// - **Notifications** exist after the commit, once for each text, and reach the sessions that listen then.
/// - **Time** is an argument of `advance`, which fires the lock time-outs and the checks for deadlocks. `nextTimer` is
///   the next of them. `clockLead` makes the server's clock jump.
///
/// `execute` returns `.waits` where a row is held. The outcome comes with `takeResumed` after the call that ended the
/// wait. A commit whose answer is lost is a `commit`, then `lose`. A statement that its client gives up is a `cancel`.
///
/// Left out: SQL functions of apps, foreign keys' shared locks, savepoints, dropped failures, events, baselines of the
/// clock and marks of the history. Where PostgreSQL leaves an order open, such as which of several waiting statements
/// wakes first, the model has one, and `leftOrderOpen` is set.
package struct DatabaseModel: Sendable {
  package enum Outcome: Hashable, Sendable {
    case done(Answer)
    /// The statement waits for a row: see `takeResumed`.
    case waits
    /// The statement failed with this SQLSTATE, and with it its transaction.
    case failed(String)
  }

  package struct Notification: Hashable, Sendable {
    package let payload: String
    package let sender: SessionID
  }

  let deadlockTimeout: Duration
  /// How full the server's queue of notifications is, 0 to 1: other databases and hung listeners fill it.
  package var queueUsage = 0.0
  /// Whether PostgreSQL might have chosen another order since this was last set to false.
  package var leftOrderOpen = false

  /// The time by which waits are measured; `advance` sets it.
  package private(set) var time: Timestamp
  /// How far the server's clock is ahead of that: another value is a jump of the clock.
  package var clockLead = Duration.zero
  var rows = RowStore()
  var sessions: [SessionID: SessionState] = [:]
  var ids = TransactionIDs()
  var generations: UInt64 = 0
  private var sessionCount = 0
  /// Statements whose rows are free, in the order in which they continue.
  var ready: [(session: SessionID, row: RowID)] = []
  /// How many waiting sessions have taken an id because they moved up in a line.
  var promotions = 0
  private var resumed: [(session: SessionID, outcome: Outcome)] = []

  package init(
    time: Timestamp = Timestamp(microseconds: 0), simulatedClock: Timestamp? = nil,
    deadlockTimeout: Duration = .seconds(1)
  ) {
    self.time = time
    self.deadlockTimeout = deadlockTimeout
    insert(.clock, .clock(simulatedClock))
  }

  /// The server's clock.
  var now: Timestamp { time.after(clockLead) }

  /// Puts a row in, as it is before the history begins.
  package mutating func insert(_ id: RowID, _ content: Content) {
    let version = RowStore.Version(content: content, incarnation: rows.nextIncarnation())
    rows.update(id) { $0.change = .written(version) }
    _ = rows.release(id, commits: true)
  }

  /// The committed content of a row.
  package subscript(id: RowID) -> Content? { rows[id]?.committed?.content }

  // MARK: Sessions

  /// - Parameter node: the node whose session it is, empty for others: its notifications have the name.
  package mutating func connect(node: String = "") -> SessionID {
    sessionCount += 1
    let id = SessionID(number: sessionCount)
    sessions[id] = SessionState(node: node)
    return id
  }

  /// The session ends: its transaction is rolled back, and its statement gets no answer.
  package mutating func lose(_ session: SessionID) {
    leaveLine(session)
    sessions[session]?.execution = nil
    end(session, commits: false)
    sessions[session] = nil
    settle()
  }

  /// Whether a session waits for a row.
  package func isWaiting(_ session: SessionID) -> Bool { sessions[session]?.execution?.wait != nil }

  /// The notifications that have reached a session; none during its transaction.
  package mutating func takeNotifications(_ session: SessionID) -> [Notification] {
    guard let state = sessions[session], state.isIdle else { return [] }
    defer { sessions[session]?.inbox = [] }
    return state.inbox
  }

  // MARK: Statements

  package mutating func begin(_ session: SessionID) {
    precondition(sessions[session]?.isIdle == true, "a transaction begins in an idle session")
    sessions[session]?.block = .open
  }

  package mutating func commit(_ session: SessionID) -> Outcome {
    let isOpen = sessions[session]?.block == .open
    precondition(isOpen || sessions[session]?.block == .failed, "a transaction that was begun is committed")
    let outcome = isOpen ? finishTransaction(session, .done(.rows([]))) : .failed("25P02")
    sessions[session]?.block = .closed
    settle()
    return outcome
  }

  package mutating func rollback(_ session: SessionID) {
    end(session, commits: false)
    sessions[session]?.block = .closed
    settle()
  }

  package mutating func execute(_ statement: Statement, in session: SessionID) -> Outcome {
    guard let state = sessions[session] else { return .failed("57P01") }
    precondition(state.execution == nil, "a session runs one statement at a time")
    guard state.block != .failed else { return .failed("25P02") }
    let execution = plan(statement, for: session)
    sessions[session]?.execution = execution
    let outcome = proceed(session)
    settle()
    return outcome
  }

  /// Ends a waiting statement, and its transaction: `57014` where the client or a time-out cancels it.
  package mutating func cancel(_ session: SessionID, sqlState: String = "57014") {
    guard isWaiting(session) else { return }
    resumed.append((session, fail(session, sqlState)))
    settle()
  }

  /// The outcomes of statements that had waited, in the order in which they ended.
  package mutating func takeResumed() -> [(session: SessionID, outcome: Outcome)] {
    defer { resumed = [] }
    return resumed
  }

  // MARK: Time

  /// When the next lock time-out or check for a deadlock is due.
  package var nextTimer: Timestamp? { sessions.values.compactMap { timer(of: $0)?.at }.min() }

  /// Fires the timers until then, in their order.
  package mutating func advance(to end: Timestamp) {
    while let (session, at) = nextDue(), at <= end {
      time = max(time, at)
      guard let timer = sessions[session].flatMap({ self.timer(of: $0) }) else { break }
      if timer.isTimeout {
        resumed.append((session, fail(session, "55P03")))
      } else {
        sessions[session]?.execution?.wait?.isChecked = true
        if isDeadlocked(session) {
          // Whose check comes first is open where two waits began at the same time.
          if nextDue()?.at == at { leftOrderOpen = true }
          resumed.append((session, fail(session, "40P01")))
        }
      }
      settle()
    }
    time = max(time, end)
  }

  private func nextDue() -> (session: SessionID, at: Timestamp)? {
    let timers = sessions.compactMap { id, state in timer(of: state).map { (session: id, at: $0.at) } }
    return timers.min { ($0.at, $0.session) < ($1.at, $1.session) }
  }

  private func timer(of session: SessionState) -> (at: Timestamp, isTimeout: Bool)? {
    guard let wait = session.execution?.wait else { return nil }
    let check = wait.isChecked ? nil : wait.since.after(deadlockTimeout)
    guard let timeout = session.lockTimeout.map({ wait.since.after($0) }), check.map({ timeout < $0 }) ?? true
    else { return check.map { ($0, false) } }
    return (timeout, true)
  }

  // MARK: Progress

  /// Resumes the statements whose rows are free, and those that these free in turn.
  private mutating func settle() {
    while !ready.isEmpty {
      let (session, row) = ready.removeFirst()
      guard isWaiting(session) else { continue }
      sessions[session]?.execution?.wait = nil
      let outcome = proceed(session)
      if outcome != .waits { resumed.append((session, outcome)) }
      callNext(row)
    }
  }

  /// Runs a statement until it ends or waits.
  private mutating func proceed(_ session: SessionID) -> Outcome {
    guard var run = sessions[session]?.execution else { return .failed("57P01") }
    sessions[session]?.execution = nil
    while let step = run.steps.first, run.rows.count < run.limit {
      switch perform(step, of: &run, for: session) {
      case .next: run.steps.removeFirst()
      case .blocked(let isQueued):
        run.wait = Execution.Wait(row: step.row, since: time)
        rows.update(step.row) { $0.enqueue(session, isQueued: isQueued, isLock: step.isLock) }
        sessions[session]?.execution = run
        return .waits
      case .refused(let sqlState): return fail(session, sqlState)
      }
    }
    switch run.setting {
    case .listen: sessions[session]?.transaction.listens = true
    case .lockTimeout(let limit): sessions[session]?.transaction.lockTimeout = limit
    case nil: break
    }
    if run.takesID {
      assignID(session)
      run.answer = sessions[session]?.transaction.id.map { .id($0) }
    }
    if run.wakes, isNotificationNeeded(session) { notify(sessions[session]?.node ?? "", session) }
    if let payload = run.payload { notify(payload, session) }
    let answer = Outcome.done(run.answer ?? .rows(run.rows))
    guard sessions[session]?.block != .open else { return answer }
    return finishTransaction(session, answer)
  }
}

/// A session; its number is given only once.
package struct SessionID: Hashable, Comparable, Sendable {
  package let number: Int

  package static func < (left: SessionID, right: SessionID) -> Bool { left.number < right.number }
}

extension Timestamp {
  /// The instant a span later; the last one there is where that is too late to be kept.
  func after(_ span: Duration) -> Timestamp { advanced(by: span) ?? Timestamp(microseconds: .max) }
}
