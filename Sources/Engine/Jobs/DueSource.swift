package import Postgres

/// Where the items of a job are and when each is due, defined once: the engine builds the poll, the claim, the count
/// and the listing from it.
///
/// In the SQL of a source `t` is a row of its table.
package struct DueSource: Sendable {
  /// Rows that fall due in one way, with an index in the order of their instants.
  package struct Part: Sendable {
    fileprivate let instant: String
    fileprivate let condition: String
    fileprivate let isClaimed: Bool
    fileprivate let isRepeated: Bool
    fileprivate let order: String?
    fileprivate let rows: Rows?

    /// Rows of another table that make an item due.
    package struct Rows: Sendable {
      fileprivate let table: String
      fileprivate let key: KeyColumns
      fileprivate let order: String
      fileprivate let each: String

      /// - Parameters:
      ///   - table: as in FROM, with its alias.
      ///   - key: the columns of the key of the item that a row makes due.
      ///   - order: what the index has, in the order of the instants.
      ///   - each: rows, as in FROM, for each of which the index is read separately.
      package init(of table: String, key: KeyColumns, order: String, each: String) {
        self.table = table
        self.key = key
        self.order = order
        self.each = each
      }
    }

    /// - Parameters:
    ///   - instant: when a row is due: business time.
    ///   - condition: the rows that fall due in this way.
    ///   - claimed: false if something else must make the row ready first: it is only listed.
    ///   - repeated: true if another part has all of its rows: a claim also reads them separately, so that it sees them
    ///     however many others are due before them.
    ///   - order: the order of its index, if that is not the instant.
    ///   - past: true if all of its rows are due, so that any instant among them serves as the first.
    ///   - rows: the rows, if they are not those of the source's table.
    package init(
      at instant: String, where condition: String, claimed: Bool = true, repeated: Bool = false, order: String? = nil,
      past: Bool = false, rows: Rows? = nil
    ) {
      precondition(order == nil || repeated || past, "a part with an order must be repeated or past")
      self.instant = instant
      self.condition = condition
      isClaimed = claimed
      isRepeated = repeated
      self.order = order
      self.rows = rows
    }
  }

  private let table: String
  private let key: KeyColumns
  private let parts: [Part]
  private let order: String?
  private let window: Int

  /// - Parameters:
  ///   - table: the table whose rows are the items, and are locked.
  ///   - key: the column that names an item, or the two of a `KeyPair`.
  ///   - order: the order in which due items are claimed; required with several parts. Nil: the longest due first.
  ///   - window: how many rows beyond the batch a claim reads of each part. Less where each part is read in the order
  ///     of claims, and other nodes hold few rows.
  package init(_ table: String, key: KeyColumns, order: String? = nil, window: Int = 1000, _ parts: [Part]) {
    precondition(order != nil || parts.count { $0.isClaimed } == 1, "several claimed parts require an order")
    self.table = table
    self.key = key.of("t")
    self.parts = parts
    self.order = order
    self.window = window
  }

  /// SQL of one value: the earliest instant at which an item is due, or null. Items that a failure delays are left out,
  /// as are the items of a leased job that a node works on.
  package func nextDue(job: String, leased: Bool = false) -> String {
    least(
      claimed.filter { !$0.isRepeated }.map {
        first($0, free: BackoffFilter.excluded(job: job, key: key(of: $0).text, leased: leased))
      })
  }

  /// SQL of one value: when the second item falls due; null if there are fewer.
  package func followingDue(job: String) -> String {
    """
    SELECT CASE WHEN count(*) > 1 THEN max(f.at) END
    FROM (SELECT s.at FROM (\(free(job, limit: 2).sql)) AS s ORDER BY s.at LIMIT 2) AS f
    """
  }

  /// Microseconds until the next item falls due that is not due yet, null without one; and the server's clock.
  package func untilNext(job: String) -> Statement {
    let now = "(SELECT settled.clock())"
    return """
      SELECT (1e6 * extract(epoch FROM min(s.at) - \(raw: now)))::bigint, clock_timestamp()
      FROM (\(fragment: free(job, limit: 1, after: now))) AS s
      """
  }

  /// The first instants of each part, among the items that no failure delays.
  private func free(_ job: String, limit: Int, after now: String? = nil) -> Statement {
    union(
      claimed.filter { !$0.isRepeated }.map { part in
        let later = now.map { " AND \(part.instant) > \($0)" } ?? ""
        let free = BackoffFilter.excluded(job: job, key: key(of: part).text)
        return select(part, where: Statement(raw: "\(part.condition)\(later) AND \(free)"), limit: limit)
      })
  }

  /// The same as `nextDue` with items that others must make ready first.
  package func planned(job: String, leased: Bool = false) -> String {
    least(
      listed.map { part in
        let free = BackoffFilter.excluded(job: job, key: key(of: part).text, leased: leased)
        return first(part, free: part.isClaimed ? free : "true")
      })
  }

  /// SQL of an instant and the columns of the key, `key1` and on, of every item that is or will be due.
  package var schedule: String {
    listed.map { part in
      let each = part.rows.map { "\($0.each), " } ?? ""
      return """
        SELECT \(part.instant) AS at, \(key(of: part).named) FROM \(each)\(from(part)) WHERE \(part.condition)
        """
    }.joined(separator: " UNION ALL ")
  }

  /// The most items of a job that are counted for the coming work; the summary of the command `next` states the number,
  /// too.
  static let listedMax = 10_000

  /// The first rows of the schedule, soonest first: each part is read along its index, no further.
  package func soonest(_ count: Int) -> Statement {
    // The planner uses an index if each part is ordered and limited alone, not if their union is.
    let selects = listed.map { select($0, where: Statement(raw: $0.condition), limit: count) }
    return """
      SELECT s.at, \(raw: key.aliases.of("s").text) AS key FROM (\(fragment: union(selects))) AS s
      ORDER BY s.at LIMIT \(count)
      """
  }

  /// Claims due items: the columns of their keys.
  ///
  /// With several parts each is read by its index, in a window wider than the batch, so that rows locked by other nodes
  /// are skipped. So the cost of a claim does not depend on the length of the queue.
  package func lock<Key: JobKey>(_ request: LockRequest<Key>, job: String) -> Statement {
    let claim = claim(request, job: job)
    return request.remembersKeys ? BatchKeys.remember(claim) : claim
  }

  private func claim<Key: JobKey>(_ request: LockRequest<Key>, job: String) -> Statement {
    let tail: Statement = "LIMIT \(request.limit) \(raw: request.clause(of: "t"))"
    guard claimed.count > 1, let order else {
      return """
        SELECT \(raw: key.list) FROM \(raw: table) AS t
        WHERE \(fragment: isDue(claimed[0], request, job)) ORDER BY \(raw: order ?? claimed[0].instant), \(raw: key.list)
        \(fragment: tail)
        """
    }
    let windows = claimed.map { select($0, where: isDue($0, request, job), limit: request.textLimit + window) }
    return """
      SELECT \(raw: key.list) FROM \(raw: table) AS t
      WHERE \(fragment: isIn(union(windows))) ORDER BY \(raw: order), \(raw: key.list) \(fragment: tail)
      """
  }

  /// SQL: whether the row's key is among those of a select.
  private func isIn(_ select: Statement) -> Statement {
    // For a single column an array costs one index lookup for each key, regardless of the statistics.
    key.names.count == 1
      ? "\(raw: key.list) = ANY(ARRAY(SELECT d.key1 FROM (\(fragment: select)) AS d))"
      : "(\(raw: key.list)) IN (SELECT \(raw: key.aliases.of("d").list) FROM (\(fragment: select)) AS d)"
  }

  private var listed: [Part] { parts.filter { !$0.isRepeated } }

  private var claimed: [Part] { parts.filter(\.isClaimed) }

  private func isDue<Key: JobKey>(_ part: Part, _ request: LockRequest<Key>, _ job: String) -> Statement {
    """
    \(raw: part.condition) AND \(raw: part.instant) <= \(raw: request.now)
      AND \(fragment: request.condition(job: job, key: key(of: part)))
    """
  }

  private func key(of part: Part) -> KeyColumns { part.rows?.key ?? key }

  private func from(_ part: Part) -> String { part.rows?.table ?? "\(table) AS t" }

  /// One value: the first instant of a part, among the items that are `free`.
  private func first(_ part: Part, free: String) -> String {
    let first = select(part, where: Statement(raw: "\(part.condition) AND \(free)"), limit: 1)
    return "SELECT min(f.at) FROM (\(first.sql)) AS f"
  }

  /// The instants and keys of a part's first rows, along its index.
  private func select(_ part: Part, where condition: Statement, limit: Int) -> Statement {
    let rows: Statement = """
      SELECT \(raw: part.instant) AS at, \(raw: key(of: part).named) FROM \(raw: from(part))
      WHERE \(fragment: condition) ORDER BY \(raw: part.rows?.order ?? part.order ?? part.instant) LIMIT \(raw: "\(limit)")
      """
    guard let each = part.rows?.each else { return rows }
    return """
      SELECT e.at, \(raw: key.aliases.of("e").list) FROM \(raw: each), LATERAL (\(fragment: rows)) AS e
      """
  }

  private func union(_ selects: [Statement]) -> Statement {
    selects.dropFirst().reduce("(\(fragment: selects[0]))") { "\(fragment: $0) UNION ALL (\(fragment: $1))" }
  }

  private func least(_ values: [String]) -> String {
    values.count == 1 ? values[0] : "SELECT least(\(values.map { "(\($0))" }.joined(separator: ",\n  ")))"
  }
}

/// Work whose items a `DueSource` names: the overdue and finished items follow from it.
package protocol SourcedWork: Work {
  associatedtype Key: JobKey

  var source: DueSource { get }

  /// Whether nodes lease the items.
  var isLeased: Bool { get }
}

extension SourcedWork {
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
