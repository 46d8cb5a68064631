package import Postgres

/// Polls all work with one statement.
///
/// If it fails for a reason other than the connection, each work is polled alone: one that cannot be polled does not
/// hide the others. So a locked table stops only the work that reads it.
struct DuePoll {
  private static let lockWait: Duration = .milliseconds(250)

  let works: [any Work]
  /// Reads the newest marks of the database (`RestoreGuard`), where works are polled together.
  let marks: Statement?
  let time: Timekeeper

  /// The clocks, the polled works, and the works that could not be polled.
  ///
  /// - Parameter returning: works that could not be polled before: each is polled alone, after the others.
  func poll(
    _ names: Set<String>, returning: Set<String>, _ connection: Connection
  ) async throws -> (snapshot: DueSnapshot, failed: [(work: String, error: PostgresError)]) {
    let seen = works.filter { names.contains($0.name) }
    let alone = works.filter { returning.contains($0.name) }
    // The statement differs each time: a due instant may come from the node (`Work.nextDue`).
    guard !seen.isEmpty,
      let snapshot = try await together(DueSnapshot.statement(of: seen, marks: marks), connection)
    else { return try await each(seen + alone, after: nil, connection) }
    return try await each(alone, after: snapshot, connection)
  }

  /// Nil if the statement failed, but may succeed for each work alone.
  private func together(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot? {
    do {
      return try await received(connection.query(statement))
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
        let one = try await alone(DueSnapshot.statement(of: [work]), connection)
        // The clocks of the latest, with the dues of a moment before.
        let (items, marks) = (snapshot?.items ?? [:], snapshot?.marks)
        snapshot = one
        snapshot?.items.merge(items) { new, _ in new }
        snapshot?.marks = marks
      } catch let error as PostgresError where error.verdict.allowsOthers {
        failed.append((work.name, error))
      }
    }
    guard let snapshot else { throw failed.first?.1 ?? PostgresError(.decoding, "no work can be polled") }
    return (snapshot, failed)
  }

  /// Reads the due instants of one work; a locked table must not delay the others by more than a moment.
  private func alone(_ statement: Statement, _ connection: Connection) async throws -> DueSnapshot {
    try await connection.transaction { [self] transaction in
      let replies = try await transaction.pipeline([
        "SET LOCAL lock_timeout = \(raw: JobContext.setting(Self.lockWait))", statement,
      ])
      return try received(replies[1])
    }
  }

  /// The time is read before the rows are decoded: every delay here would delay the work.
  private func received(_ rows: Rows) throws(PostgresError) -> DueSnapshot {
    let arrival = time.now()
    var snapshot = try DueSnapshot(rows)
    snapshot.readAt = arrival - snapshot.age
    return snapshot
  }
}

/// One snapshot, read by one statement: when each work is due next, how its items fail, and the clocks.
package struct DueSnapshot: Sendable {
  package struct Item: Sendable, Equatable {
    /// Time until it is due. Zero or less: now. Nil: nothing to wait for, or nothing may be claimed.
    package var dueIn: Duration?
    /// The business instant at which it is, was or will be due: `Work.planned`.
    package var dueAt: Timestamp?
    package var isPaused: Bool
    /// Whether it is stopped until an operator accepts that the database was restored.
    package var awaitsAcceptance = false
    /// See `Work.isUnconditional`.
    package var isUnconditional: Bool
    /// See `Work.ignoresClockStop`.
    package var ignoresClockStop = false
    package var failing: Int64
    package var quarantined: Int64
    /// Whether something is due now, whether or not it may be claimed.
    package var isDue = false
    /// The instant at which the first of it is due, the same for all nodes: see `NodeOrder`.
    package var instant: Timestamp?
    /// The instant at which the second of it is due: `Work.followingDue`.
    package var following: Timestamp?

    package init(
      dueIn: Duration?, dueAt: Timestamp?, isPaused: Bool, isUnconditional: Bool, failing: Int64, quarantined: Int64
    ) {
      (self.dueIn, self.dueAt, self.isPaused, self.isUnconditional) = (dueIn, dueAt, isPaused, isUnconditional)
      (self.failing, self.quarantined) = (failing, quarantined)
    }

    /// Applies whether anything may be claimed; `dueIn` was read without it.
    package mutating func open(mayClaim: Bool) {
      isDue = dueIn.map { $0 <= .zero } ?? false
      dueIn = isUnconditional ? dueIn.map { min(.zero, $0) } : mayClaim ? dueIn : nil
    }

    /// How late it is: zero if it is not due.
    package var lateBy: Duration { dueIn.map { max(.zero, .zero - $0) } ?? .zero }
  }

  /// The newest marks of the database at an instant; nil if it has lost some, is a copy, or waits for an operator.
  struct Marks: Sendable {
    let newest: [String]?
    let at: Timestamp
  }

  package var items: [String: Item] = [:]
  /// The oldest transaction that may still write: see `NotifyMark`.
  package let oldest: UInt64
  /// Business time and the database's real time.
  package let now: Timestamp
  package let real: Timestamp
  package let clocks: ClockRecord
  package let isSimulated: Bool
  /// Whether the database is a copy, or was restored to another place.
  package var isElsewhere = false
  /// Whether writers leave wake-ups out (`settled.notify`), because the server's notification queue is half full.
  package var leavesWakeUpsOut = false
  /// The known problems until they are resolved: names, texts and starts in turn.
  package var problems: [String] = []
  /// The names of the nodes that work, in order.
  package var nodes: [String] = []
  /// The newest marks, if the poll read them.
  var marks: Marks?
  /// Whether a proxy led the node to a copy: the node registers with it before it claims anything there.
  package var isUnmetCopy: Bool { isElsewhere && !items.values.contains(where: \.awaitsAcceptance) }
  /// How long before the answer's end the clocks were read.
  fileprivate var age: Duration = .zero
  /// When that was at the latest, by the node's own time.
  package var readAt: Duration = .zero

  package init(
    items: [String: Item] = [:], oldest: UInt64, now: Timestamp, real: Timestamp, clocks: ClockRecord, isSimulated: Bool
  ) {
    (self.items, self.oldest, self.now, self.real) = (items, oldest, now, real)
    (self.clocks, self.isSimulated) = (clocks, isSimulated)
  }

  /// Due instants use the business clock, the end of a back-off the real one.
  ///
  /// `marks` reads one array of text.
  static func statement(of works: [any Work], marks: Statement? = nil) -> Statement {
    let rows = works.map { work in
      let (due, planned) = (work.nextDue, work.planned)
      let mayClaim = ClaimGate.mayClaim(Statement(raw: "'\(work.name)'"), ignoresClockStop: work.ignoresClockStop)
      // The same text twice would be planned and executed twice.
      return """
        SELECT '\(work.name)' AS name, d.due_at, \(planned == due ? "d.due_at" : "(\(planned))") AS planned_at,
          (\(work.followingDue ?? "SELECT NULL::timestamptz")) AS following_at, \(mayClaim.sql) AS may_claim,
          \(work.isUnconditional) AS unconditional, \(work.ignoresClockStop) AS ignores_stop
        FROM (SELECT (\(due)) AS due_at OFFSET 0) AS d
        """
    }
    return """
      SELECT w.name, w.due_at, w.planned_at, w.following_at, w.may_claim, w.unconditional, w.ignores_stop,
        (1e6 * extract(epoch FROM least(w.due_at - c.now, f.retry_at - c.real)))::bigint AS due_in,
        coalesce((SELECT j.paused FROM settled.job AS j WHERE j.name = w.name), false) AS paused,
        EXISTS (SELECT FROM settled.restoration AS x WHERE x.accepted_at IS NULL AND w.name = ANY (x.jobs))
          AS awaits_acceptance,
        f.failing, f.quarantined,
        pg_snapshot_xmin(pg_current_snapshot())::text AS oldest,
        c.now, c.real, r.*, coalesce((SELECT simulated FROM settled.installation), false) AS simulated,
        (SELECT pg_notification_queue_usage() >= 0.5) AS leaves_wake_ups_out,
        (SELECT settled.is_elsewhere()) AS is_elsewhere,
        \(raw: ProblemStatements.standing) AS problems, \(raw: NodeStatements.working) AS working_nodes,
        (\(fragment: marks ?? "SELECT NULL::text[]")) AS marks, \(raw: "\(marks != nil)") AS reads_marks,
        (1e6 * extract(epoch FROM clock_timestamp() - c.real))::bigint AS age
      FROM (\(raw: rows.joined(separator: "\n  UNION ALL "))) AS w,
        (SELECT settled.clock() AS now, clock_timestamp() AS real) AS c, (\(raw: ClockStatements.record)) AS r,
        LATERAL (
          SELECT count(*) FILTER (WHERE NOT quarantined AND dropped_at IS NULL) AS failing,
            count(*) FILTER (WHERE quarantined) AS quarantined,
            min(next_attempt_at) FILTER (WHERE NOT quarantined AND dropped_at IS NULL
              AND last_at <= c.real AND c.real < next_attempt_at) AS retry_at
          FROM settled.failure WHERE job = w.name
        ) AS f
      """
  }
}

extension DueSnapshot {
  init(_ rows: Rows) throws(PostgresError) {
    guard var snapshot = try rows.decodeFirst(as: DueSnapshot.init(shared:)) else {
      throw PostgresError(.decoding, "a poll of the database returned no rows")
    }
    for work in try rows.decodeAll(as: WorkRow.init) {
      snapshot.items[work.name] = work.item
      snapshot.age = max(snapshot.age, work.age)
    }
    self = snapshot
  }

  /// The part that every row repeats.
  private init(shared row: Row) throws(PostgresError) {
    guard let oldest = UInt64(try row["oldest"] as String) else {
      throw PostgresError(.decoding, "a poll of the database returned no transaction id")
    }
    self.init(
      oldest: oldest, now: try row["now"], real: try row["real"], clocks: try ClockRecord(row),
      isSimulated: try row["simulated"])
    isElsewhere = try row["is_elsewhere"]
    leavesWakeUpsOut = try row["leaves_wake_ups_out"]
    problems = try row["problems"]
    nodes = try row["working_nodes"]
    if try row["reads_marks"] { marks = Marks(newest: isElsewhere ? nil : try row["marks"], at: real) }
  }

  /// The part of one work.
  private struct WorkRow {
    let name: String
    let dueAt: Timestamp?
    let plannedAt: Timestamp?
    let followingAt: Timestamp?
    let mayClaim: Bool
    let isUnconditional: Bool
    let ignoresClockStop: Bool
    let dueIn: Duration?
    let isPaused: Bool
    let awaitsAcceptance: Bool
    let failing: Int64
    let quarantined: Int64
    let age: Duration

    init(_ row: Row) throws(PostgresError) {
      name = try row["name"]
      dueAt = try row["due_at"]
      plannedAt = try row["planned_at"]
      followingAt = try row["following_at"]
      mayClaim = try row["may_claim"]
      isUnconditional = try row["unconditional"]
      ignoresClockStop = try row["ignores_stop"]
      dueIn = (try row["due_in"] as Int64?).map { .microseconds($0) }
      isPaused = try row["paused"]
      awaitsAcceptance = try row["awaits_acceptance"]
      failing = try row["failing"]
      quarantined = try row["quarantined"]
      age = .microseconds(try row["age"] as Int64)
    }

    var item: Item {
      var item = Item(
        dueIn: dueIn, dueAt: plannedAt, isPaused: isPaused, isUnconditional: isUnconditional, failing: failing,
        quarantined: quarantined)
      (item.awaitsAcceptance, item.ignoresClockStop, item.instant) = (awaitsAcceptance, ignoresClockStop, dueAt)
      item.following = followingAt
      item.open(mayClaim: mayClaim)
      return item
    }
  }
}
