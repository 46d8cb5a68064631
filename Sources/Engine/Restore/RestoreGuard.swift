import Postgres
import Synchronization

/// Notices that the database is older than what this node remembers of it (Engine.docc/Restores.md).
///
/// It looks when it meets the database and before each heartbeat, and remembers after each heartbeat. What it finds is
/// written to the database, where it stops the jobs of all nodes that must not do a thing again.
package final class RestoreGuard: Sendable {
  private struct Facts {
    let installation: String
    let timeline: Int64
    let beats: Int64
    let now: Timestamp
    let isStopped: Bool

    init(_ row: Row) throws(PostgresError) {
      installation = try row["installation"]
      timeline = try row["timeline"]
      beats = try row["beats"]
      now = try row["now"]
      isStopped = try row["is_stopped"]
    }
  }

  /// Shorter than a node's row is kept after its last heartbeat.
  private static let beatsKept: Duration = .seconds(25 * 86_400)

  private let node: String
  private let jobs: [String]
  private let marks: [HistoryMark]
  private let storage: HistoryStorage?
  private let observe: @Sendable (Observation) -> Void
  private let kept: Mutex<KeptHistory?>

  /// `jobs` are those that stop; without a storage nothing is noticed.
  package init(
    node: String, jobs: [String], marks: [HistoryMark], storage: HistoryStorage?,
    observe: @escaping @Sendable (Observation) -> Void
  ) {
    self.node = node
    self.jobs = jobs
    self.marks = [.event] + marks
    self.storage = storage
    self.observe = observe
    kept = Mutex(storage?.read().flatMap { KeptHistory(line: $0) })
  }

  /// Compares what is remembered with what is there.
  func look(_ session: Connection) async throws {
    guard storage != nil, let kept = kept.withLock({ $0 }) else { return }
    let facts = try await facts(session)
    guard facts.installation == kept.installation else { return noteInstallation(kept, facts) }
    let findings = try await findings(kept, facts, session)
    guard !findings.isEmpty else {
      if facts.timeline != kept.timeline { noteFailOver(facts.timeline) }
      return
    }
    let since = RestoreStatements.isAccepted(since: Timestamp(microseconds: kept.at))
    if try await session.query(since).one(Bool.self) { return }
    let finding = findings.joined(separator: "; ")
    let event = kept.marks[HistoryMark.event.name].flatMap { Int64($0) }
    let isNew = try await session.transaction { [node, jobs] transaction in
      let problem = "the database was restored, or lost commits: \(finding) (settlectl restore accept)"
      try await transaction.execute(ProblemStatements.state(RestoreStatements.problem, problem))
      if let event { try await transaction.execute(RestoreStatements.raiseEpoch(above: event)) }
      return try await transaction.execute(
        RestoreStatements.stop(node: node, timeline: facts.timeline, finding: finding, jobs: jobs)) == 1
    }
    if isNew { observe(.databaseRestored(finding: finding, timeline: facts.timeline)) }
  }

  private func findings(_ kept: KeptHistory, _ facts: Facts, _ session: Connection) async throws -> [String] {
    var findings: [String] = []
    // The row of a node that was long away is removed, and its heartbeats with it.
    let isRecent = facts.now < Timestamp(microseconds: kept.at).advanced(by: Self.beatsKept) ?? facts.now
    if kept.node == node, facts.beats < kept.beats, isRecent {
      findings.append("it has \(facts.beats) of the \(kept.beats) heartbeats of node \(node)")
    }
    for mark in marks {
      guard let value = kept.marks[mark.name], !value.isEmpty else { continue }
      let isHeld = try await session.query(mark.holds(value)).one(Bool.self)
      if !isHeld { findings.append("\(mark.isMissing) \(value)") }
    }
    return findings
  }

  /// Told once: what was remembered is of another database, and is replaced at the next heartbeat.
  private func noteInstallation(_ old: KeptHistory, _ facts: Facts) {
    kept.withLock { $0 = nil }
    observe(
      .recorded(
        text: "this database is not the one that this node remembers",
        fields: ["remembered": old.installation, "installation": facts.installation]))
  }

  private func noteFailOver(_ timeline: Int64) {
    kept.withLock { $0?.timeline = timeline }
    observe(.timelineChanged(timeline))
  }

  /// Remembers the present, after a heartbeat that was committed; not while a finding waits for an operator.
  func remember(_ session: Connection) async throws {
    guard let storage else { return }
    let facts = try await facts(session)
    guard !facts.isStopped else { return }
    var newest: [String: String] = [:]
    for mark in marks { newest[mark.name] = try await session.query(mark.newest).one(String.self) }
    let history = KeptHistory(
      installation: facts.installation, node: node, beats: facts.beats, timeline: facts.timeline, at: facts.now,
      marks: newest)
    kept.withLock { $0 = history }
    storage.write(history.line)
  }

  private func facts(_ session: Connection) async throws -> Facts {
    try await session.query(RestoreStatements.facts(node: node)).decodeOne(as: Facts.init)
  }
}
