import Postgres

/// Polls all work with one statement.
///
/// If it fails for a reason other than the connection, each work is polled alone: one that cannot be polled does not
/// hide the others. So a locked table stops only the work that reads it.
struct DuePoll {
  private static let lockWait: Duration = .milliseconds(250)

  let works: [any Work]

  /// The clocks, the polled works, and the works that could not be polled.
  ///
  /// - Parameter returning: works that could not be polled before: each is polled alone, after the others.
  func poll(
    _ names: Set<String>, returning: Set<String>, _ connection: Connection
  ) async throws -> (snapshot: DueSnapshot, failed: [(work: String, error: PostgresError)]) {
    let seen = works.filter { names.contains($0.name) }
    let alone = works.filter { returning.contains($0.name) }
    if !seen.isEmpty {
      // The statement differs each time: a due instant may come from the node (`Work.nextDue`).
      if let snapshot = try await Self.together(DueSnapshot.statement(of: seen), connection) {
        return try await each(alone, after: snapshot, connection)
      }
    }
    return try await each(seen + alone, after: nil, connection)
  }

  /// Nil if the statement failed, but may succeed for each work alone.
  private static func together(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot? {
    do {
      return try await DueSnapshot(connection.query(statement))
    } catch {
      guard error.verdict.allowsOthers else { throw error }
      return nil
    }
  }

  /// Polls each work alone, after `snapshot` of others.
  private func each(
    _ works: [any Work], after snapshot: DueSnapshot?, _ connection: Connection
  ) async throws -> (DueSnapshot, [(String, PostgresError)]) {
    var snapshot = snapshot
    var failed: [(String, PostgresError)] = []
    for work in works {
      do {
        let one = try await Self.alone(DueSnapshot.statement(of: [work]), connection)
        // The clocks of the latest, with the dues of a moment before.
        let before = snapshot?.items ?? [:]
        snapshot = one
        snapshot?.items.merge(before) { new, _ in new }
      } catch let error as PostgresError where error.verdict.allowsOthers {
        failed.append((work.name, error))
      }
    }
    guard let snapshot else { throw failed.first?.1 ?? PostgresError(.decoding, "no work can be polled") }
    return (snapshot, failed)
  }

  /// Reads the due instants of one work; a locked table must not delay the others by more than a moment.
  private static func alone(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot {
    try await connection.transaction { transaction in
      let replies = try await transaction.pipeline([
        "SET LOCAL lock_timeout = \(raw: JobContext.setting(lockWait))", statement,
      ])
      return try DueSnapshot(replies[1])
    }
  }
}
