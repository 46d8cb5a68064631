import Postgres

/// Polls all work with one statement.
///
/// Where that fails for a reason other than the connection, each work is polled alone. Work that cannot be polled
/// is interrupted, is left out of the polls during its pause, and does not hide the others. So a table that somebody
/// locks stops the work that reads it, and no other.
struct DuePoll {
  private static let lockWait: Duration = .milliseconds(250)

  private let works: [any Work]
  /// Work that is left out, and until when.
  private var hidden: [String: Duration] = [:]

  init(_ works: [any Work]) {
    self.works = works
  }

  /// When work that is left out is polled again; nil where none is.
  var nextAttempt: Duration? { hidden.values.min() }

  mutating func poll(
    _ connection: Connection, _ interruptions: inout Interruptions, time: Timekeeper
  ) async throws -> DueSnapshot {
    // Made anew each time: what falls due may stand in the node itself (`Work.nextDue`).
    if hidden.isEmpty, let snapshot = try await Self.snapshot(DueSnapshot.statement(of: works), connection) {
      return snapshot
    }
    let now = time.now()
    let seen = works.filter { (hidden[$0.name] ?? now) <= now }
    let known = seen.filter { hidden[$0.name] == nil }
    if !hidden.isEmpty, !known.isEmpty,
      let snapshot = try await Self.snapshot(DueSnapshot.statement(of: known), connection)
    {
      let returning = seen.filter { hidden[$0.name] != nil }
      return try await pollEach(returning, after: snapshot, connection, &interruptions, time: time)
    }
    return try await pollEach(seen, after: nil, connection, &interruptions, time: time)
  }

  /// Polls each work alone, after `snapshot` of others.
  private mutating func pollEach(
    _ seen: [any Work], after snapshot: DueSnapshot?, _ connection: Connection, _ interruptions: inout Interruptions,
    time: Timekeeper
  ) async throws -> DueSnapshot {
    var snapshot = snapshot
    var failed: [(name: String, error: PostgresError)] = []
    for work in seen {
      do {
        let one = try await Self.alone(DueSnapshot.statement(of: [work]), connection)
        if hidden.removeValue(forKey: work.name) != nil { interruptions.resume(work.name) }
        // The clocks of the latest, with what was due a moment before.
        let before = snapshot?.items ?? [:]
        snapshot = one
        snapshot?.items.merge(before) { new, _ in new }
      } catch let error as PostgresError where error.verdict.allowsOthers {
        failed.append((work.name, error))
      }
    }
    guard let snapshot else { throw failed.first?.error ?? PostgresError(.decoding, "no work is left to look at") }
    for (name, error) in failed {
      hidden[name] = time.now() + interruptions.interrupt(name, by: error, progressed: false, draw: time.draw())
    }
    return snapshot
  }

  /// Reads what is due of one work; a table that somebody holds must not delay the others by more than a moment.
  private static func alone(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot {
    try await connection.transaction { transaction in
      let replies = try await transaction.pipeline([
        "SET LOCAL lock_timeout = \(raw: JobContext.setting(lockWait))", statement,
      ])
      return try DueSnapshot(replies[1])
    }
  }

  /// Nil where the statement failed, but may not for each work alone.
  private static func snapshot(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot? {
    do {
      return try await DueSnapshot(connection.query(statement))
    } catch {
      guard error.verdict.allowsOthers else { throw error }
      return nil
    }
  }
}
