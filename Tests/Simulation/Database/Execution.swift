import Postgres

/// A statement under way: what is left of it, and what it has returned so far.
struct Execution: Sendable {
  struct Wait: Sendable {
    let row: RowID
    var since: Timestamp
    /// Whether the check for a deadlock has been made: there is one in each wait.
    var isChecked = false
  }

  /// What is to be done with the rows, in order. They were chosen by what was committed when the statement began.
  var steps: ArraySlice<Step> = []
  /// The most rows to return: no further one is locked.
  var limit = Int.max
  /// Whether a trigger wakes the nodes at its end, if one needs that.
  var wakes = false
  /// What it notifies at its end in any case.
  var payload: String?
  /// What it changes of the session at its end.
  var setting: Setting?
  /// Whether the answer is the transaction's id.
  var takesID = false
  /// Of a statement that only reads; else the rows are the answer.
  var answer: Answer?
  var rows: [Answer.Row] = []
  var wait: Wait?
}

/// What a statement changes of its session.
enum Setting: Sendable {
  /// With the commit.
  case listen
  /// Until the transaction ends.
  case lockTimeout(Duration?)
}

/// What a statement does with one row.
struct Step: Sendable {
  enum Kind: Sendable {
    /// SELECT ... FOR UPDATE
    case lock
    /// The same with SKIP LOCKED
    case lockFree
    /// UPDATE or DELETE
    case write
    /// INSERT; where the key is there, what `effect` says, and nothing where that is nil
    case insert(Content)
  }

  enum Effect: Sendable {
    /// The row's present version does not qualify: it is locked all the same, and not returned.
    case pass
    case lock
    case write(Content)
    case delete
    case refuse(String)
  }

  let row: RowID
  /// Which row of this key; none of an insertion.
  var incarnation: UInt64 = 0
  var kind: Kind
  var effect: (@Sendable (Content) -> Effect)?

  var isLock: Bool { if case .lock = kind { true } else { false } }
}

extension DatabaseModel {
  enum Progress {
    case next
    case blocked(isQueued: Bool)
    case refused(String)
  }

  mutating func perform(_ next: Step, of run: inout Execution, for session: SessionID) -> Progress {
    let step = numbered(next, &run)
    let row = rows[step.row]
    let isHeld = row?.holder.map { $0 != session } ?? false
    switch step.kind {
    case .insert(let content):
      if isHeld, row?.change != nil { return .blocked(isQueued: false) }
      guard row?.visible(to: session) != nil else {
        insert(content, step.row, &run, session)
        return .next
      }
      guard step.effect != nil else { return .next }
      if isHeld { return .blocked(isQueued: true) }
    case .lockFree:
      if isHeld { return .next }
    case .lock, .write:
      // A row that was deleted is passed over, even where another one has its key by now.
      guard (isHeld ? row?.committed : row?.visible(to: session))?.incarnation == step.incarnation else { return .next }
      if isHeld {
        if case .write = step.kind { assignID(session) }
        return .blocked(isQueued: true)
      }
    }
    return apply(step, to: row?.visible(to: session), &run, session)
  }

  private mutating func apply(
    _ step: Step, to version: RowStore.Version?, _ run: inout Execution, _ session: SessionID
  ) -> Progress {
    guard let version, let effect = step.effect else { return .next }
    hold(step.row, session)
    switch effect(version.content) {
    case .pass: return .next
    case .lock: run.rows.append(Answer.Row(id: step.row, content: version.content))
    case .write(let content):
      let written = RowStore.Version(content: content, incarnation: version.incarnation)
      rows.update(step.row) { $0.change = .written(written) }
      run.rows.append(Answer.Row(id: step.row, content: content))
    case .delete:
      rows.update(step.row) { $0.change = .deleted }
      run.rows.append(Answer.Row(id: step.row, content: version.content))
    case .refuse(let sqlState): return .refused(sqlState)
    }
    return .next
  }

  private mutating func insert(_ content: Content, _ id: RowID, _ run: inout Execution, _ session: SessionID) {
    hold(id, session)
    let version = RowStore.Version(content: content, incarnation: rows.nextIncarnation())
    rows.update(id) { $0.change = .written(version) }
    run.rows.append(Answer.Row(id: id, content: content))
  }

  /// A lease takes its number when its turn comes, whether or not its row is written then.
  private mutating func numbered(_ step: Step, _ run: inout Execution) -> Step {
    guard case .insert(.lease(var lease)) = step.kind, lease.generation == 0 else { return step }
    generations += 1
    lease.generation = generations
    run.steps[run.steps.startIndex].kind = .insert(.lease(lease))
    return run.steps[run.steps.startIndex]
  }

  private mutating func hold(_ id: RowID, _ session: SessionID) {
    assignID(session)
    guard rows[id]?.holder != session else { return }
    rows.update(id) { $0.holder = session }
    sessions[session]?.transaction.held.append(id)
  }
}
