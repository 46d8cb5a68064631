import Postgres

/// Work that could not go on for a reason that is no item's: how often in a row, and how long it pauses. Pure.
struct Interruptions {
  private struct Entry {
    var count = 0
    /// The kind of error that was told last; nil: none.
    var reported: String?
    var pause: Duration = .zero
  }

  /// A lost connection or contention goes by soon; anything else waits for a person.
  private static let short = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
  private static let long = Backoff(first: .seconds(1), factor: 2, longest: .seconds(60))

  /// An interruption that ought to pass by itself is reported when it has come so often in a row.
  private static let transientMax = 10

  private var entries: [String: Entry] = [:]
  private var news: [Observation] = []

  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// Notes an interruption and returns how long the work pauses; one that got something done begins a new row.
  mutating func interrupt(_ name: String, by error: any Error, progressed: Bool, draw: Double) -> Duration {
    var entry = entries[name] ?? Entry()
    entry.count = progressed ? 1 : entry.count + 1
    let isTransient = Self.isTransient(error)
    let kind = Self.kind(of: error)
    if entry.reported != kind, !isTransient || entry.count >= Self.transientMax {
      entry.reported = kind
      news.append(.interrupted(job: name, error: error))
    }
    entry.pause = (isTransient ? Self.short : Self.long).delay(afterAttempts: entry.count, draw: draw)
    entries[name] = entry
    return entry.pause
  }

  mutating func resume(_ name: String) {
    guard let entry = entries.removeValue(forKey: name), entry.reported != nil else { return }
    news.append(.resumed(job: name))
  }

  /// The reports since the last call: each kind of interruption once, and its end.
  mutating func takeNews() -> [Observation] {
    defer { news = [] }
    return news
  }

  private static func isTransient(_ error: any Error) -> Bool {
    if let error = error as? EngineError { return error.code != .missing }
    guard let error = error as? PostgresError else { return error is CancellationError }
    return error.isConnectionProblem || error.isContention
      || [.poolExhausted, .cancelled, .closed].contains(error.code)
  }

  private static func kind(of error: any Error) -> String {
    (error as? PostgresError).map { "\($0.code.rawValue) \($0.sqlState ?? "")" } ?? "\(error)"
  }
}

extension PostgresError {
  /// The installation is not as it should be: a right, a table or a function is missing. That says nothing of an item.
  package var isOfInstallation: Bool {
    ["42501", "42P01", "42703", "42704", "42883", "3F000"].contains(sqlState) && !isRaisedByApplication
  }
}
