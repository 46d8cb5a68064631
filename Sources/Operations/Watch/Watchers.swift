package import Engine
import ControlAPI
package import Postgres
import TextCoding

/// All watchers of this node: at most eight, which share one reading of the database each second.
///
/// A watcher sends one request after another, each with the cursor of the last answer. The answer comes once there is
/// news, or after 15 s without: the sign of life. Nothing is read while there is no watcher.
package actor Watchers {
  private struct Watcher {
    let uid: UInt32
    let isAdmin: Bool
    /// The number of the first happening that it has not had, and when it came so far, or was at the end.
    var next: Int
    var advanced: Duration
    var isWaiting: Bool
    var lastSeen: Duration
  }

  static let watchersMax = 8
  /// Non-admins leave some places free, together and individually, so that no caller can take all places.
  static let othersMax = 6
  static let placesOfOneMax = 3
  static let signOfLife: Duration = .seconds(15)
  static let readEvery: Duration = .seconds(1)
  /// How many readings of a backlog an answer may take; none while there is a page that its watcher has not received.
  static let readingsMax = 10
  /// How long a watcher may wait after its answer before the next request; then its place is free.
  static let placeKept: Duration = .seconds(5)

  private let pool: Pool
  private let time: Timekeeper
  private let jobs: [String: String]
  /// Distinguishes cursors of this process from those of others.
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

  /// The answer to one request; `job` leaves out happenings of other jobs.
  ///
  /// Without a cursor, and with one of another process, the watch begins now.
  func answer(after text: String?, job: String?, caller: AuthorizedPeer) async throws -> JSONValue {
    let given = try text.map { try WatchCursor($0) }
    let cursor = try admit(given, caller)
    defer {
      watchers[cursor.watcher]?.isWaiting = false
      watchers[cursor.watcher]?.lastSeen = time.now()
    }
    let isNew = cursor != given
    let until = time.now() + Self.signOfLife
    var hasRead = try await refresh(cursor.watcher)
    var page =
      isNew
      ? WatchLog.Page(next: log.end, isIncomplete: given != nil) : log.page(from: cursor.next, job: job)
    note(page, of: cursor.watcher)
    while !isNew, page.happenings.isEmpty, !page.isIncomplete, time.now() < until {
      // The rest of a backlog is not waited for.
      if !hasRead || reader?.hasMore != true { try await time.sleep(Self.readEvery) }
      hasRead = try await refresh(cursor.watcher)
      page = log.page(from: page.next, job: job)
      note(page, of: cursor.watcher)
    }
    return [
      "cursor": .text(WatchCursor(run: run, watcher: cursor.watcher, next: page.next).text),
      "missed": .boolean(page.isIncomplete), "happenings": .array(page.happenings.map(\.json)),
    ]
  }

  /// The cursor itself if its watcher still has its place; else a new watcher's.
  private func admit(_ given: WatchCursor?, _ caller: AuthorizedPeer) throws -> WatchCursor {
    let now = time.now()
    watchers = watchers.filter { $0.value.isWaiting || now - $0.value.lastSeen <= Self.placeKept }
    if watchers.isEmpty { (reader, log) = (nil, WatchLog()) }
    if let given, given.run == run, let watcher = watchers[given.watcher], watcher.uid == caller.uid,
      given.next <= watcher.next
    {
      guard !watcher.isWaiting else { throw Self.busy("this watcher is already waiting for a response") }
      watchers[given.watcher]?.isWaiting = true
      return given
    }
    let isAdmin = caller.level == .admin
    guard watchers.count < Self.watchersMax else {
      throw Self.busy("\(Self.watchersMax) callers are watching, which is the limit")
    }
    if !isAdmin {
      guard watchers.values.filter({ !$0.isAdmin }).count < Self.othersMax else {
        throw Self.busy("\(Self.othersMax) callers are watching; the remaining places are reserved for admins")
      }
      guard watchers.values.filter({ $0.uid == caller.uid }).count < Self.placesOfOneMax else {
        throw Self.busy("uid \(caller.uid) has \(Self.placesOfOneMax) open watches, which is the limit per user")
      }
    }
    defer { nextWatcher += 1 }
    watchers[nextWatcher] = Watcher(
      uid: caller.uid, isAdmin: isAdmin, next: log.end, advanced: now, isWaiting: true, lastSeen: now)
    return WatchCursor(run: run, watcher: nextWatcher, next: log.end)
  }

  /// Repeated requests for the same page, or for one that is gone, do not advance the watcher.
  private func note(_ page: WatchLog.Page, of watcher: Int) {
    guard let next = watchers[watcher]?.next, page.next >= next else { return }
    watchers[watcher]?.next = page.next
    if page.next == log.end || page.next > next && !page.isIncomplete { watchers[watcher]?.advanced = time.now() }
  }

  private static func busy(_ detail: String) -> CommandError {
    CommandError(.unavailable, rule: Problem.Rule.busy, detail)
  }

  private var isReadingDue: Bool {
    guard let lastRead, let reader else { return true }
    return reader.hasMore || time.now() - lastRead >= Self.readEvery
  }

  /// Whether the next reading will still be kept when its watchers reach it: this one has received its page, and
  /// watchers that continue without a pause are not far behind.
  private func isReadingOf(_ watcher: Int) -> Bool {
    let since = time.now() - Self.readEvery * 2
    let others = watchers.values.filter { $0.advanced >= since }.map(\.next)
    return log.end - (watchers[watcher]?.next ?? log.end) < WatchLog.pageMax
      && log.end - (others.min() ?? log.end) < WatchLog.keptMax / 2
  }

  /// Reads what is new, at most once a second; it does not wait for a reading that another watcher began. Returns
  /// whether it read.
  private func refresh(_ watcher: Int) async throws -> Bool {
    var hasRead = false
    for _ in 0..<Self.readingsMax where !isReading && isReadingDue && isReadingOf(watcher) {
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
      hasRead = true
    }
    return hasRead
  }
}
