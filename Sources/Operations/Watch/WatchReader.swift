import Engine
import Postgres

/// Reads what happened since it last read, on all nodes that share the database.
struct WatchReader {
  private struct Tick: Hashable {
    let schedule: String
    let instant: Timestamp
  }

  private typealias Row = (id: Int64, at: Timestamp, schedule: String, instant: Timestamp, status: String, text: String)

  /// The jobs that write the events of a topic.
  let jobs: [String: String]
  private var position: Int64
  /// Occurrences up to this id are known, or are among the open ones.
  private var lowest: Int64
  /// The highest ids of the last readings: ids are given before the commit, so a lower one may appear a little later.
  private var recent: [Int64]
  /// Those above `lowest` that were read.
  private var known: Set<Int64> = []
  /// What had not ended, with the status that was reported.
  private var open: [Tick: String]
  /// Whether there was more than one reading takes.
  private(set) var hasMore = false

  private static let readingsKept = 5
  private static let openMax = 5_000

  /// Begins now: what happened before is not read.
  init(jobs: [String: String], _ session: some Session) async throws {
    let (position, id, schedules, instants, statuses) = try await session.query(WatchStatements.beginning)
      .one(Int64.self, Int64.self, [String].self, [Timestamp].self, [String].self)
    self.jobs = jobs
    self.position = position
    lowest = id
    recent = [id]
    open = [:]
    for index in schedules.indices {
      open[Tick(schedule: schedules[index], instant: instants[index])] = statuses[index]
    }
  }

  /// The happenings since the last reading, oldest first.
  mutating func read(_ session: some Session) async throws -> [Happening] {
    let events = try await session.query(WatchStatements.events(after: position))
      .decode(Int64.self, Timestamp.self, String.self, String.self, String.self)
    position = events.last?.0 ?? position
    let rows = try await occurrences(session)
    hasMore = events.count == WatchStatements.rowsMax || rows.isFull
    let happenings =
      events.map { Happening(at: $1, kind: $2, job: jobs[$2], key: $3, text: $4) } + rows.all.compactMap { report($0) }
    return happenings.sorted { $0.at < $1.at }
  }

  private mutating func occurrences(_ session: some Session) async throws -> (all: [Row], isFull: Bool) {
    let ticks = Array(open.keys)
    var rows: [Row] = []
    if !ticks.isEmpty {
      rows = try await decoded(WatchStatements.open(ticks.map(\.schedule), ticks.map(\.instant)), session)
      // An occurrence may have been pruned since, or taken back by a rule that changed.
      let found = Set(rows.map { Tick(schedule: $0.schedule, instant: $0.instant) })
      for tick in ticks where !found.contains(tick) { open[tick] = nil }
    }
    let planned = try await decoded(WatchStatements.planned(after: lowest), session)
    let new = planned.filter { known.insert($0.id).inserted }
    let isFull = planned.count == WatchStatements.rowsMax
    advance(to: planned.last?.id, isFull: isFull)
    return (rows + new, isFull)
  }

  private mutating func advance(to highest: Int64?, isFull: Bool) {
    recent.append(max(highest ?? 0, recent.last ?? 0))
    if isFull { recent = [recent[recent.count - 1]] }
    if recent.count > Self.readingsKept { recent.removeFirst() }
    lowest = recent[0]
    known = known.filter { $0 > lowest }
  }

  /// Nil where the status is the one that was reported.
  private mutating func report(_ row: Row) -> Happening? {
    let tick = Tick(schedule: row.schedule, instant: row.instant)
    let before = open[tick]
    let isOpen = row.status == "planned" || row.status == "running"
    open[tick] = isOpen && (before != nil || open.count < Self.openMax) ? row.status : nil
    guard row.status != "planned", row.status != before else { return nil }
    return Happening(
      at: row.at, kind: "occurrence." + row.status, job: row.schedule, key: row.instant.description, text: row.text)
  }

  private func decoded(_ statement: Statement, _ session: some Session) async throws -> [Row] {
    try await session.query(statement)
      .decode(Int64.self, Timestamp.self, String.self, Timestamp.self, String.self, String.self)
  }
}
