import Engine
import Postgres

/// Reads the happenings since its last reading, on all nodes that share the database.
struct WatchReader {
  private struct Tick: Hashable {
    let schedule: String
    let instant: Timestamp
  }

  /// A row of `WatchStatements.open` or `planned`.
  private struct Occurrence {
    let id: Int64
    let at: Timestamp
    let tick: Tick
    let status: String
    let text: String

    init(_ row: Row) throws(PostgresError) {
      id = try row["id"]
      at = try row["at"]
      tick = Tick(schedule: try row["schedule"], instant: try row["instant"])
      status = try row["status"]
      text = try row["text"]
    }
  }

  /// The jobs that write the events of a topic.
  let jobs: [String: String]
  private var position: Int64
  private var occurrencesRead: WatchTrail
  private var commandsRead: WatchTrail
  /// Occurrences that had not ended, with the reported status.
  private var open: [Tick: String]
  /// Whether there was more than one reading can take.
  private(set) var hasMore = false

  private static let openMax = 5_000

  /// Begins now: earlier happenings are not read.
  init(jobs: [String: String], _ session: some Session) async throws {
    self = try await session.query(WatchStatements.beginning).decodeOne { (row) throws(PostgresError) in
      try WatchReader(jobs: jobs, row)
    }
  }

  /// The row of `WatchStatements.beginning`.
  private init(jobs: [String: String], _ row: Row) throws(PostgresError) {
    self.jobs = jobs
    position = try row["position"]
    occurrencesRead = WatchTrail(after: try row["id"])
    commandsRead = WatchTrail(after: try row["command"])
    open = [:]
    let (schedules, instants): ([String], [Timestamp]) = (try row["schedules"], try row["instants"])
    let statuses: [String] = try row["statuses"]
    for index in schedules.indices {
      open[Tick(schedule: schedules[index], instant: instants[index])] = statuses[index]
    }
  }

  /// The happenings since the last reading, oldest first.
  mutating func read(_ session: some Session) async throws -> [Happening] {
    let events = try await session.query(WatchStatements.events(after: position))
      .decodeAll { row in (position: try row["position"] as Int64, happening: try Happening(row, jobs: jobs)) }
    position = events.last?.position ?? position
    let rows = try await occurrences(session)
    let commands = try await session.query(WatchStatements.commands(after: commandsRead.lowest))
      .decodeAll { row in (id: try row["id"] as Int64, happening: try Happening(command: row)) }
    let newCommands = commandsRead.take(commands, \.id).map(\.happening)
    hasMore = events.count == WatchStatements.rowsMax || commands.count == WatchStatements.rowsMax || rows.isFull
    let happenings = events.map(\.happening) + rows.all.compactMap { report($0) } + newCommands
    return happenings.sorted { $0.at < $1.at }
  }

  private mutating func occurrences(_ session: some Session) async throws -> (all: [Occurrence], isFull: Bool) {
    let ticks = Array(open.keys)
    var rows: [Occurrence] = []
    if !ticks.isEmpty {
      rows = try await session.query(WatchStatements.open(ticks.map(\.schedule), ticks.map(\.instant)))
        .decodeAll(as: Occurrence.init)
      // An occurrence may have been pruned since, or withdrawn by a changed rule.
      let found = Set(rows.map(\.tick))
      for tick in ticks where !found.contains(tick) { open[tick] = nil }
    }
    let planned = try await session.query(WatchStatements.planned(after: occurrencesRead.lowest))
      .decodeAll(as: Occurrence.init)
    let new = occurrencesRead.take(planned, \.id)
    return (rows + new, planned.count == WatchStatements.rowsMax)
  }

  /// Nil if the status was already reported.
  private mutating func report(_ occurrence: Occurrence) -> Happening? {
    let (tick, status) = (occurrence.tick, occurrence.status)
    let before = open[tick]
    let isOpen = status == "planned" || status == "running"
    open[tick] = isOpen && (before != nil || open.count < Self.openMax) ? status : nil
    guard status != "planned", status != before else { return nil }
    return Happening(
      at: occurrence.at, kind: "occurrence." + status, job: tick.schedule, key: tick.instant.description,
      text: occurrence.text)
  }
}

extension Happening {
  /// A row of `WatchStatements.events`; `jobs` are those that write the events of a topic.
  fileprivate init(_ row: Row, jobs: [String: String]) throws(PostgresError) {
    let topic: String = try row["topic"]
    self.init(at: try row["occurred_at"], kind: topic, job: jobs[topic], key: try row["key"], text: try row["text"])
  }

  /// A row of `WatchStatements.commands`.
  fileprivate init(command row: Row) throws(PostgresError) {
    let command: String = try row["command"]
    self.init(
      at: try row["at"], kind: "command." + command, job: try row["job"], key: try row["target"],
      text: try row["text"])
  }
}
