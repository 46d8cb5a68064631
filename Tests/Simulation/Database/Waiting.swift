/// Who waits for whom.
extension DatabaseModel {
  /// The sessions that a waiting session waits for, as `pg_blocking_pids` names them: those before it in the row's
  /// line, or the row's holder.
  package func blockers(of session: SessionID) -> [SessionID] {
    guard let wait = sessions[session]?.execution?.wait, let row = rows[wait.row],
      let place = row.line.firstIndex(where: { $0.session == session })
    else { return [] }
    let before = row.line[place].isQueued ? row.line[..<place].filter(\.isQueued).map(\.session) : []
    return before.isEmpty ? row.holder.map { [$0] } ?? [] : before
  }

  /// Whether a session waits, over any number of others, for itself.
  func isDeadlocked(_ session: SessionID) -> Bool {
    var seen: Set<SessionID> = []
    var open = blockers(of: session)
    while let next = open.popLast() {
      if next == session { return true }
      if seen.insert(next).inserted { open += blockers(of: next) }
    }
    return false
  }

  /// Wakes the first in a row's line where the row is free; else it waits again, for another holder.
  mutating func callNext(_ id: RowID) {
    guard let row = rows[id], !row.line.isEmpty else { return rows.forgetIfEmpty(id) }
    // Whoever was called before has not come yet.
    guard !ready.contains(where: { $0.row == id }) else { return }
    let first = row.line.first(where: \.isQueued)?.session
    guard row.holder == nil else {
      if let first { beginWait(first, id) }
      return
    }
    let woken = row.line.filter { !$0.isQueued || $0.session == first }.map(\.session)
    rows.update(id) { row in row.line.removeAll { woken.contains($0.session) } }
    ready += woken.map { (session: $0, row: id) }
  }

  /// A session gives its place up; the one behind it waits for the holder from now on.
  mutating func leaveLine(_ session: SessionID) {
    guard let wait = sessions[session]?.execution?.wait, let row = rows[wait.row] else { return }
    let wasFirst = row.line.first(where: \.isQueued)?.session == session
    rows.update(wait.row) { row in row.line.removeAll { $0.session == session } }
    if wasFirst { callNext(wait.row) } else { rows.forgetIfEmpty(wait.row) }
  }

  /// A session that only wants the lock gets its transaction's id where it follows what an earlier holder wrote.
  private mutating func beginWait(_ session: SessionID, _ id: RowID) {
    guard let row = rows[id], let place = row.line.firstIndex(where: { $0.session == session }) else { return }
    let waiter = row.line[place]
    if waiter.isLock, waiter.sawChange, waiter.holder != row.holder, assignID(session) { promotions += 1 }
    rows.update(id) { $0.line[place].look(at: row) }
    sessions[session]?.execution?.wait?.since = time
    sessions[session]?.execution?.wait?.isChecked = false
  }
}

extension RowStore.Row {
  mutating func enqueue(_ session: SessionID, isQueued: Bool, isLock: Bool) {
    line.append(
      RowStore.Waiter(
        session: session, isQueued: isQueued, isLock: isLock, holder: holder, sawChange: change != nil))
  }
}

extension RowStore.Waiter {
  fileprivate mutating func look(at row: RowStore.Row) {
    guard holder != row.holder else { return }
    holder = row.holder
    sawChange = row.change != nil
  }
}
