import Postgres

/// Work interrupted by something other than one of its items: how often in a row, and how long it pauses. Pure.
struct Interruptions {
  private struct Entry {
    var count = 0
    /// The kind of error that was reported last; nil: none.
    var reported: String?
    var pause: Duration = .zero
  }

  /// A lost connection, contention or a lack of resources passes; any other error needs a person.
  private static let short = Backoff(first: .milliseconds(100), factor: 2, longest: .seconds(5))
  private static let long = Backoff(first: .seconds(1), factor: 2, longest: .seconds(60))

  /// The number of transient interruptions in a row after which they are reported.
  private static let transientMax = 10

  private var entries: [String: Entry] = [:]
  private var news: [Observation] = []

  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// Records an interruption and returns how long the work pauses; a run that finished items begins a new row.
  mutating func interrupt(_ name: String, by error: any Error, progressed: Bool, draw: Double) -> Duration {
    var entry = entries[name] ?? Entry()
    entry.count = progressed ? 1 : entry.count + 1
    let passes = Self.passes(Verdict(of: error))
    let kind = Self.kind(of: error)
    if entry.reported != kind, !passes || entry.count >= Self.transientMax {
      entry.reported = kind
      news.append(.interrupted(job: name, error: error))
    }
    entry.pause = (passes ? Self.short : Self.long).delay(afterAttempts: entry.count, draw: draw)
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

  /// Whether work with this verdict resumes without a person, so that its pauses are short and only several in a row
  /// are reported.
  static func passes(_ verdict: Verdict) -> Bool {
    switch verdict {
    case .contention, .connection, .resource, .caller: true
    case .item, .timeout, .installation: false
    }
  }

  private static func kind(of error: any Error) -> String {
    (error as? PostgresError).map { "\($0.code.rawValue) \($0.sqlState ?? "")" } ?? "\(error)"
  }
}
