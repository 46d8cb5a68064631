import Postgres
import Synchronization

/// Detects that the database is older than this node's record of it (Engine.docc/Restores.md), or is in another place
/// (Engine.docc/Copies.md).
///
/// It checks when it connects to the database and before each heartbeat. It remembers the present after each heartbeat,
/// and the newest marks at each poll. A finding is written to the database, where it stops the jobs of all nodes
/// that must not repeat their effects.
package final class RestoreGuard: Sendable {
  private struct Facts {
    let installation: String
    let home: String?
    let place: String
    let timeline: Int64
    let beats: Int64
    let now: Timestamp
    /// Names of remembered marks that are missing from the database.
    let lacking: Set<String>

    init(_ row: Row) throws(PostgresError) {
      installation = try row["installation"]
      home = try row["home"]
      place = try row["place"]
      timeline = try row["timeline"]
      beats = try row["beats"]
      now = try row["now"]
      lacking = Set(try row["lacking"] as [String])
    }
  }

  /// A row of `RestoreStatements.present`.
  private struct Present {
    let installation: String
    let timeline: Int64
    let beats: Int64
    let now: Timestamp
    let marks: [String: String]

    init(_ row: Row, names: [String]) throws(PostgresError) {
      installation = try row["installation"]
      timeline = try row["timeline"]
      beats = try row["beats"]
      now = try row["now"]
      marks = Dictionary(zip(names, try row["newest"] as [String])) { $1 }
    }
  }

  /// Shorter than a node's row is kept after its last heartbeat.
  private static let beatsKept: Duration = .seconds(25 * 86_400)

  private let node: String
  private let jobs: [String]
  private let jobsElsewhere: [String]
  private let marks: [HistoryMark]
  private let storage: HistoryStorage?
  private let observe: @Sendable (Observation) -> Void
  private let kept: Mutex<KeptHistory?>
  private let hasLooked = Mutex(false)

  /// `jobs` stop after a loss, and `jobsElsewhere` also in another place; without a storage no loss is detected.
  package init(
    node: String, jobs: [String], jobsElsewhere: [String] = [], marks: [HistoryMark], storage: HistoryStorage?,
    observe: @escaping @Sendable (Observation) -> Void
  ) {
    self.node = node
    self.jobs = jobs
    self.jobsElsewhere = jobsElsewhere
    self.marks = [.event] + marks
    self.storage = storage
    self.observe = observe
    kept = Mutex(storage?.read().flatMap { KeptHistory(line: $0) })
  }

  /// Compares the record, and the database's former place, with the present.
  func look(_ session: Connection) async throws {
    let kept = storage == nil ? nil : kept.withLock { $0 }
    let facts = try await session.query(
      RestoreStatements.facts(node: node, marks, holding: kept?.marks ?? [:])
    ).decodeOne(as: Facts.init)
    let isDoubted = try await noteSilence(facts, session)
    let home = try await home(facts, isDoubted: isDoubted, session)
    let (losses, resume) = try await losses(kept, facts, session)
    let isElsewhere = home != facts.place
    guard isElsewhere || !losses.isEmpty else { return }
    let places = isElsewhere ? ["it was in \(home) (cluster/database), and is now in \(facts.place)"] : []
    let finding = (places + losses).joined(separator: "; ")
    let problem =
      (isElsewhere
        ? "the database was copied (settlectl restore fork) or moved (settlectl restore accept): "
        : "the database was restored, or lost commits (settlectl restore accept): ") + finding
    let stop = RestoreStatements.stop(
      node: node, timeline: facts.timeline, finding: finding,
      jobs: isElsewhere ? Array(Set(jobs + jobsElsewhere)).sorted() : jobs, isOfPlace: losses.isEmpty)
    let isNew = try await session.transaction { transaction in
      let isNew = try await transaction.execute(stop) == 1
      guard isNew || !losses.isEmpty else { return false }
      try await transaction.execute(ProblemStatements.state(RestoreStatements.problem, problem))
      for statement in resume { try await transaction.execute(statement) }
      return isNew
    }
    if isNew { observe(.databaseRestored(finding: finding, timeline: facts.timeline)) }
  }

  /// The database's former place. At the first connection it is this place, unless in doubt: then it may be a copy from
  /// before places were recorded.
  private func home(_ facts: Facts, isDoubted: Bool, _ session: Connection) async throws -> String {
    if let home = facts.home { return home }
    try await session.execute(isDoubted ? RestoreStatements.doubtHome : RestoreStatements.setHome)
    return try await session.query(RestoreStatements.home).one(String.self)
  }

  /// The marks that this node remembers and the database has lost, with the statements that make numbers continue after
  /// them.
  private func losses(
    _ kept: KeptHistory?, _ facts: Facts, _ session: Connection
  ) async throws -> ([String], resume: [Statement]) {
    guard let kept else { return ([], []) }
    guard facts.installation == kept.installation else {
      noteInstallation(kept, facts)
      return ([], [])
    }
    let findings = findings(kept, facts)
    guard !findings.isEmpty else {
      if facts.timeline != kept.timeline { noteFailOver(facts.timeline) }
      return ([], [])
    }
    let since = RestoreStatements.isAccepted(since: Timestamp(microseconds: kept.at))
    if try await session.query(since).one(Bool.self) { return ([], []) }
    return (
      findings, marks.compactMap { mark in kept.marks[mark.name].flatMap { $0.isEmpty ? nil : mark.resume?($0) } }
    )
  }

  /// Records a problem if this process has no record of the database and all of its nodes fell silent.
  ///
  /// A copied data directory looks like its original, so only operators can decide. Returns whether a node that was
  /// there would have a record.
  private func noteSilence(_ facts: Facts, _ session: Connection) async throws -> Bool {
    let isFirst = hasLooked.withLock { hasLooked in
      defer { hasLooked = true }
      return !hasLooked
    }
    guard storage != nil, isFirst else { return false }
    let isRemembered = kept.withLock { $0?.installation == facts.installation }
    guard !isRemembered,
      let (nodes, since, remember) = try await session.query(RestoreStatements.silentNodes(node))
        .first(String.self, String.self, Bool.self)
    else {
      try await session.execute(ProblemStatements.solve(RestoreStatements.silenceProblem))
      return false
    }
    let problem = """
      this node has no record of the database, whose nodes (\(nodes)) were last seen at \(since): if it is a copy of \
      a data directory, stop the node and run settled migrate --fork; otherwise run settlectl restore accept
      """
    try await session.execute(ProblemStatements.state(RestoreStatements.silenceProblem, problem))
    return remember
  }

  private func findings(_ kept: KeptHistory, _ facts: Facts) -> [String] {
    var findings: [String] = []
    // The row of a node that was away for long is removed, and its heartbeats with it.
    let isRecent = facts.now < Timestamp(microseconds: kept.at).advanced(by: Self.beatsKept) ?? facts.now
    if kept.node == node, facts.beats < kept.beats, isRecent {
      findings.append("it has only \(facts.beats) of the \(kept.beats) heartbeats from node \(node)")
    }
    for mark in marks where facts.lacking.contains(mark.name) {
      findings.append("\(mark.isMissing) \(kept.marks[mark.name] ?? "")")
    }
    return findings
  }

  /// Reported once: the record belongs to another database, and is replaced at the next heartbeat.
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
    let rows = try await session.query(RestoreStatements.present(node: node, marks))
    let found = try rows.decodeFirst(as: { row throws(PostgresError) in try Present(row, names: marks.map(\.name)) })
    guard let present = found else { return }
    let history = KeptHistory(
      installation: present.installation, node: node, beats: present.beats, timeline: present.timeline,
      at: present.now, marks: present.marks)
    kept.withLock { $0 = history }
    storage.write(history.line, true)
  }

  /// The part of a poll that reads the newest marks for `note`; nil while nothing is remembered.
  ///
  /// A database on another timeline, or without the remembered marks, is left to the next check: behind a proxy the
  /// connection may have changed its server.
  var newestMarks: Statement? {
    guard storage != nil, let kept = kept.withLock({ $0 }) else { return nil }
    return RestoreStatements.newest(marks, after: kept)
  }

  /// Remembers the newest marks that a poll read, on a connection that `look` has checked.
  func note(_ read: DueSnapshot.Marks?) {
    guard let storage, let read, let newest = read.newest else { return }
    let history = kept.withLock { kept -> KeptHistory? in
      let found = Dictionary(zip(marks.map(\.name), newest)) { $1 }
      guard kept != nil, kept?.marks != found else { return nil }
      kept?.marks = found
      kept?.at = read.at.microseconds
      return kept
    }
    if let history { storage.write(history.line, false) }
  }

  /// Writes the record, at a stop.
  func finish() {
    if let storage, let history = kept.withLock({ $0 }) { storage.write(history.line, true) }
  }
}
