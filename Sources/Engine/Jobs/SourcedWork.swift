package import Postgres

/// Work whose items a `DueSource` names: the next, overdue and finished items follow from it.
package protocol SourcedWork: Work {
  associatedtype Key: JobKey

  var source: DueSource { get }

  /// Whether nodes lease the items.
  var isLeased: Bool { get }
}

extension SourcedWork {
  package var nextDue: String { source.nextDue(job: name, leased: isLeased) }

  package var planned: String { source.planned(job: name, leased: isLeased) }

  package var isListed: Bool { true }

  package var observesBatches: Bool { true }

  package func overdue(_ session: Connection) async throws -> Int64 {
    let due = source.lock(LockRequest<Key>(limit: 1000, mode: .peek, leased: isLeased), job: name)
    return try await session.query("SELECT count(*) FROM (\(fragment: due)) AS due").one(Int64.self)
  }

  package func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] {
    try await session.query(upcoming(limit: limit)).decode(Timestamp.self, String?.self, Int64.self)
      .map { Upcoming(at: $0, key: $1, count: $2) }
  }

  func upcoming(limit: Int) -> Statement {
    """
    SELECT s.at, CASE WHEN count(*) = 1 THEN min(s.key) END, count(*)
    FROM (\(fragment: source.soonest(DueSource.listedMax))) AS s(at, key) GROUP BY s.at ORDER BY s.at LIMIT \(limit)
    """
  }

  package func pruneResolvedFailures(_ session: Connection) async throws {
    try await session.execute(
      FailureStatements.pruneResolvedFailures(job: name, schedule: source.schedule, key: Key.self))
  }
}
