package import Engine
import ControlAPI
package import Postgres
import TextCoding

/// Everybody who watches this node: at most eight, who share one reading of the database each second.
///
/// A watcher asks again and again, each time with the cursor of the last answer. It is answered once there is news, or
/// after 15 s without: the sign of life. Nothing is read while nobody watches.
package actor Watchers {
  private struct Watcher {
    let uid: UInt32
    let isAdmin: Bool
    var isWaiting: Bool
    var lastSeen: Duration
  }

  static let watchersMax = 8
  /// Those who are no admins leave places, together and each of them: nobody watches everybody else out.
  static let othersMax = 6
  static let placesOfOneMax = 3
  static let signOfLife: Duration = .seconds(15)
  static let readEvery: Duration = .seconds(1)
  /// How many readings of a backlog an answer may take; none while there is a page that its watcher has not had.
  static let readingsMax = 10
  /// How long a watcher who has its answer may take to ask again, before its place is another's.
  static let placeKept: Duration = .seconds(5)

  private let pool: Pool
  private let time: Timekeeper
  private let jobs: [String: String]
  /// Tells cursors of this process from those of others.
  private let run: String
  private var watchers: [Int: Watcher] = [:]
  private var nextWatcher = 1
  private var log = WatchLog()
  private var reader: WatchReader?
  private var lastRead: Duration?
  private var isReading = false

  /// `jobs` names the job that writes the events of each topic.
  package init(pool: Pool, time: Timekeeper, jobs: [String: String]) {
    self.pool = pool
    self.time = time
    self.jobs = jobs
    run = String(UInt32(time.draw() * Double(UInt32.max)), radix: 36)
  }

  /// The answer to one request; `job` leaves out what others did.
  ///
  /// Without a cursor, and with one of another process, the watch begins now.
  func answer(after text: String?, job: String?, caller: Caller) async throws -> JSONValue {
    let given = try text.map { try WatchCursor($0) }
    let cursor = try admit(given, caller)
    defer {
      watchers[cursor.watcher]?.isWaiting = false
      watchers[cursor.watcher]?.lastSeen = time.now()
    }
    let isNew = cursor != given
    let until = time.now() + Self.signOfLife
    try await refresh(from: cursor.next)
    var page =
      isNew
      ? WatchLog.Page(next: log.end, isIncomplete: given != nil) : log.page(from: cursor.next, job: job)
    while !isNew, page.happenings.isEmpty, !page.isIncomplete, time.now() < until {
      // The rest of a backlog is not waited for.
      if isReading || reader?.hasMore != true { try await time.sleep(Self.readEvery) }
      try await refresh(from: page.next)
      page = log.page(from: page.next, job: job)
    }
    return [
      "cursor": .text(WatchCursor(run: run, watcher: cursor.watcher, next: page.next).text),
      "missed": .boolean(page.isIncomplete), "happenings": .array(page.happenings.map(\.json)),
    ]
  }

  /// The cursor itself where its watcher still has its place; else a new watcher's.
  private func admit(_ given: WatchCursor?, _ caller: Caller) throws -> WatchCursor {
    let now = time.now()
    watchers = watchers.filter { $0.value.isWaiting || now - $0.value.lastSeen <= Self.placeKept }
    if watchers.isEmpty { (reader, log) = (nil, WatchLog()) }
    if let given, given.run == run, let watcher = watchers[given.watcher], watcher.uid == caller.uid {
      guard !watcher.isWaiting else { throw Self.busy("this watcher waits for another answer") }
      watchers[given.watcher]?.isWaiting = true
      return given
    }
    let isAdmin = caller.level == .admin
    guard watchers.count < Self.watchersMax else {
      throw Self.busy("\(Self.watchersMax) watch already, and no more may")
    }
    if !isAdmin {
      guard watchers.values.filter({ !$0.isAdmin }).count < Self.othersMax else {
        throw Self.busy("\(Self.othersMax) watch already; the other places are admins'")
      }
      guard watchers.values.filter({ $0.uid == caller.uid }).count < Self.placesOfOneMax else {
        throw Self.busy("uid \(caller.uid) has \(Self.placesOfOneMax) watches already, and no more may be one user's")
      }
    }
    defer { nextWatcher += 1 }
    watchers[nextWatcher] = Watcher(uid: caller.uid, isAdmin: isAdmin, isWaiting: true, lastSeen: now)
    return WatchCursor(run: run, watcher: nextWatcher, next: log.end)
  }

  private static func busy(_ detail: String) -> CommandError {
    CommandError(.unavailable, rule: Problem.Rule.busy, detail)
  }

  private var isReadingDue: Bool {
    guard let lastRead, let reader else { return true }
    return reader.hasMore || time.now() - lastRead >= Self.readEvery
  }

  /// Reads what is new, at most once a second; a reading that another watcher began is not waited for.
  ///
  /// A watcher who has not had a page reads no further: what is kept would be gone before it comes to it.
  private func refresh(from next: Int) async throws {
    for _ in 0..<Self.readingsMax where !isReading && isReadingDue && log.end - next < WatchLog.pageMax {
      isReading = true
      defer { isReading = false }
      let before = reader
      let (after, new) = try await pool.withConnection { [jobs] connection in
        var reader: WatchReader
        if let before { reader = before } else { reader = try await WatchReader(jobs: jobs, connection) }
        let new = try await reader.read(connection)
        return (reader, new)
      }
      reader = after
      log.append(new)
      lastRead = time.now()
    }
  }
}
