import Postgres

/// Polls all work with one statement.
///
/// Where that fails for a reason other than the connection, each work is polled alone. Work that cannot be polled
/// is interrupted, is left out of the polls during its pause, and does not hide the others.
struct DuePoll {
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
    if !hidden.isEmpty, !seen.isEmpty,
      let snapshot = try await Self.snapshot(DueSnapshot.statement(of: seen), connection)
    {
      for work in seen where hidden.removeValue(forKey: work.name) != nil { interruptions.resume(work.name) }
      return snapshot
    }
    return try await pollEach(seen, connection, &interruptions, time: time)
  }

  private mutating func pollEach(
    _ seen: [any Work], _ connection: Connection, _ interruptions: inout Interruptions, time: Timekeeper
  ) async throws -> DueSnapshot {
    var snapshot: DueSnapshot?
    var failed: [(name: String, error: PostgresError)] = []
    for work in seen {
      do {
        let one = try await DueSnapshot(connection.query(DueSnapshot.statement(of: [work])))
        if hidden.removeValue(forKey: work.name) != nil { interruptions.resume(work.name) }
        // The clocks of the latest, with what was due a moment before.
        let before = snapshot?.items ?? [:]
        snapshot = one
        snapshot?.items.merge(before) { new, _ in new }
      } catch {
        // Not `catch where`: Swift 6.3.1 cannot compile that for a typed error.
        guard error.isOfOneStatement else { throw error }
        failed.append((work.name, error))
      }
    }
    guard let snapshot else { throw failed.first?.error ?? PostgresError(.decoding, "no work is left to look at") }
    for (name, error) in failed {
      hidden[name] = time.now() + interruptions.interrupt(name, by: error, progressed: false, draw: time.draw())
    }
    return snapshot
  }

  /// Nil where the statement failed, but may not for each work alone.
  private static func snapshot(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot? {
    do {
      return try await DueSnapshot(connection.query(statement))
    } catch {
      guard error.isOfOneStatement else { throw error }
      return nil
    }
  }
}

extension PostgresError {
  /// The connection is as good as before, and others may do what this statement could not.
  fileprivate var isOfOneStatement: Bool {
    [.server, .timeout, .decoding].contains(code) && !isConnectionProblem && !isContention && !isResource
  }
}
