import Postgres

/// What the server keeps for a session.
struct SessionState: Sendable {
  enum Block: Sendable {
    /// Each statement is a transaction of its own.
    case closed
    case open
    /// A statement failed: the client has to end the transaction.
    case failed
  }

  /// The setting `settled.node`.
  let node: String
  var block = Block.closed
  var transaction = OpenTransaction()
  /// The statement that runs or waits.
  var execution: Execution?
  var isListening = false
  var inbox: [DatabaseModel.Notification] = []

  var isIdle: Bool { block == .closed && execution == nil }

  var lockTimeout: Duration? { transaction.lockTimeout }
}

/// What ends with a transaction.
struct OpenTransaction: Sendable {
  /// Given when it first locks or writes a row.
  var id: UInt64?
  /// The rows that it locked or wrote.
  var held: [RowID] = []
  /// The texts that it will notify, each once.
  var notes: [String] = []
  var listens = false
  var lockTimeout: Duration?
}

/// The ids of transactions that write.
struct TransactionIDs: Sendable {
  private var last: UInt64 = 0
  private var running: Set<UInt64> = []
  private var lastEnded: UInt64 = 0

  mutating func begin() -> UInt64 {
    last += 1
    running.insert(last)
    return last
  }

  mutating func end(_ id: UInt64) {
    running.remove(id)
    lastEnded = max(lastEnded, id)
  }

  /// One more than the highest id that has ended: higher ones may run already (`pg_snapshot_xmax`).
  var next: UInt64 { lastEnded + 1 }

  /// The lowest id below `next` that runs, or `next` (`pg_snapshot_xmin`).
  var oldest: UInt64 { running.filter { $0 < next }.min() ?? next }
}

extension DatabaseModel {
  /// Commits what a session has done. Returns `answer`, or the failure of the commit.
  mutating func finishTransaction(_ session: SessionID, _ answer: Outcome) -> Outcome {
    // The server refuses to commit notifications for which its queue has no room.
    if queueUsage >= 1, sessions[session]?.transaction.notes.isEmpty == false {
      end(session, commits: false)
      return .failed("54000")
    }
    end(session, commits: true)
    return answer
  }

  /// Ends a session's transaction and frees its rows.
  mutating func end(_ session: SessionID, commits: Bool) {
    guard var transaction = sessions[session]?.transaction else { return }
    if commits, !transaction.notes.isEmpty { assignID(&transaction) }
    sessions[session]?.transaction = OpenTransaction()
    if let id = transaction.id { ids.end(id) }
    let before = ready.count
    for row in transaction.held {
      let isChanged = rows.release(row, commits: commits)
      if isChanged, (rows[row]?.line.count ?? 0) > 1 { leftOrderOpen = true }
      callNext(row)
    }
    if ready.count - before > 1 { leftOrderOpen = true }
    guard commits else { return }
    if transaction.listens { sessions[session]?.isListening = true }
    for note in transaction.notes {
      for id in sessions.filter(\.value.isListening).map(\.key) {
        sessions[id]?.inbox.append(Notification(payload: note, sender: session))
      }
    }
  }

  /// Fails a session's statement, and rolls its transaction back at once.
  mutating func fail(_ session: SessionID, _ sqlState: String) -> Outcome {
    let before = promotions + ready.count
    leaveLine(session)
    sessions[session]?.execution = nil
    end(session, commits: false)
    // The session behind it in a line takes its id at the same time as those that waited for its own rows.
    if promotions + ready.count - before > 1 { leftOrderOpen = true }
    if sessions[session]?.block == .open { sessions[session]?.block = .failed }
    return .failed(sqlState)
  }

  mutating func assignID(_ transaction: inout OpenTransaction) {
    if transaction.id == nil { transaction.id = ids.begin() }
  }

  /// Returns whether the session had no id.
  @discardableResult
  mutating func assignID(_ session: SessionID) -> Bool {
    guard sessions[session]?.transaction.id == nil else { return false }
    sessions[session]?.transaction.id = ids.begin()
    return true
  }

  /// Whether a node's row asks for notifications: read by a writer, in its own transaction.
  func isNotificationNeeded(_ session: SessionID) -> Bool {
    rows.visible(.nodes, to: session).contains { $0.version.content.node?.needsNotify == true }
  }

  /// Notifies at the commit, unless the server's queue is half full.
  mutating func notify(_ payload: String, _ session: SessionID) {
    guard queueUsage < 0.5, sessions[session]?.transaction.notes.contains(payload) == false else { return }
    sessions[session]?.transaction.notes.append(payload)
  }
}
