import Postgres

/// The rows, each in the version that is committed and the one that its holder has written.
///
/// Only one transaction at a time may write a row, so there are never more than two. A statement reads all of its rows
/// before it waits for any, so no older version is needed.
struct RowStore: Sendable {
  struct Version: Sendable {
    var content: Content
    /// Another one for each row that is inserted: a row that was deleted and inserted again is another row.
    let incarnation: UInt64
  }

  enum Change: Sendable {
    case written(Version)
    case deleted
  }

  struct Row: Sendable {
    var committed: Version?
    /// The session whose transaction has locked or written the row.
    var holder: SessionID?
    /// What the holder has written; nil where it only holds the lock.
    var change: Change?
    /// The sessions that wait for the row, in order.
    var line: [Waiter] = []

    func visible(to session: SessionID) -> Version? {
      guard holder == session, let change else { return committed }
      if case .written(let version) = change { return version }
      return nil
    }
  }

  struct Waiter: Sendable {
    let session: SessionID
    /// Whether the lock is handed out in order; else all who wait wake at once, as for an insertion of the same key.
    let isQueued: Bool
    /// Whether it only wants the lock.
    let isLock: Bool
    /// The row's holder when it last looked at the row, and whether that had written it then.
    var holder: SessionID?
    var sawChange: Bool
  }

  /// The tables of which all rows are read, each in the order of its keys.
  enum Shelf: Hashable, Sendable {
    case failures(job: String)
    case leases(job: String)
    case nodes, clockStops, restorations
  }

  /// An undone item that is committed, in the order of claims.
  struct Due: Comparable, Sendable {
    let at: Timestamp
    let key: Int64

    static func < (left: Due, right: Due) -> Bool {
      left.at == right.at ? left.key < right.key : left.at < right.at
    }
  }

  private var rows: [RowID: Row] = [:]
  private var shelves: [Shelf: [RowID]] = [:]
  private var due: [String: [Due]] = [:]
  private var incarnations: UInt64 = 0

  subscript(id: RowID) -> Row? { rows[id] }

  func visible(_ id: RowID, to session: SessionID) -> Version? { rows[id]?.visible(to: session) }

  /// The rows of a table that a session sees.
  func visible(_ shelf: Shelf, to session: SessionID) -> [(id: RowID, version: Version)] {
    (shelves[shelf] ?? []).compactMap { id in visible(id, to: session).map { (id, $0) } }
  }

  /// All rows that are committed, in no order.
  var committed: [(id: RowID, content: Content)] {
    rows.compactMap { id, row in row.committed.map { (id, $0.content) } }
  }

  /// A job's undone items that are committed.
  func due(_ job: String) -> [Due] { due[job] ?? [] }

  mutating func nextIncarnation() -> UInt64 {
    incarnations += 1
    return incarnations
  }

  /// Changes a row that is there, or is made here.
  mutating func update(_ id: RowID, _ body: (inout Row) -> Void) {
    if rows[id] == nil { shelve(id) }
    body(&rows[id, default: Row()])
  }

  /// Ends the holder's transaction for a row. Returns whether the committed version is another one now.
  mutating func release(_ id: RowID, commits: Bool) -> Bool {
    guard var row = rows[id] else { return false }
    let change = commits ? row.change : nil
    row.holder = nil
    row.change = nil
    if let change {
      let before = row.committed
      if case .written(let version) = change { row.committed = version } else { row.committed = nil }
      if case .item(let job, let key) = id { index(job, key, before?.content.item, row.committed?.content.item) }
    }
    rows[id] = row
    forgetIfEmpty(id)
    return change != nil
  }

  /// Frees all rows, and leaves out what their holders have written: all sessions have ended.
  mutating func unlock() {
    for id in rows.keys {
      rows[id]?.line = []
      _ = release(id, commits: false)
    }
  }

  mutating func forgetIfEmpty(_ id: RowID) {
    guard let row = rows[id], row.committed == nil, row.holder == nil, row.line.isEmpty else { return }
    rows[id] = nil
    guard let shelf = id.shelf, let place = shelves[shelf]?.place(where: { $0.text < id.text }) else { return }
    shelves[shelf]?.remove(at: place)
  }

  private mutating func shelve(_ id: RowID) {
    guard let shelf = id.shelf else { return }
    var ids = shelves.removeValue(forKey: shelf) ?? []
    ids.insert(id, at: ids.place { $0.text < id.text })
    shelves[shelf] = ids
  }

  private mutating func index(_ job: String, _ key: Int64, _ before: Content.Item?, _ after: Content.Item?) {
    let (before, after) = (before.flatMap { $0.isDone ? nil : $0.dueAt }, after.flatMap { $0.isDone ? nil : $0.dueAt })
    guard before != after else { return }
    var items = due.removeValue(forKey: job) ?? []
    if let before { items.remove(at: items.place { $0 < Due(at: before, key: key) }) }
    if let after {
      let new = Due(at: after, key: key)
      items.insert(new, at: items.place { $0 < new })
    }
    due[job] = items
  }
}

extension Array {
  /// Where an element of an ordered array is, or belongs: behind those that come before it.
  fileprivate func place(where isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension RowID {
  var shelf: RowStore.Shelf? {
    switch self {
    case .failure(let job, _): .failures(job: job)
    case .lease(let job, _): .leases(job: job)
    case .node: .nodes
    case .clockStop: .clockStops
    case .restoration: .restorations
    case .item, .resource, .pause, .clock: nil
    }
  }

  /// The key by which the rows of a table are ordered: failures and leases have their items' keys as text.
  var text: String {
    switch self {
    case .item(_, let key), .resource(let key), .failure(_, let key), .lease(_, let key): String(key)
    case .pause(let name), .node(let name), .clockStop(let name), .restoration(let name): name
    case .clock: ""
    }
  }
}
