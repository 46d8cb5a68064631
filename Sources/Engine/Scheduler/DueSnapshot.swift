import Postgres

/// One snapshot of everything, read by one statement: when each work is due next, how its items fail, and the clocks.
struct DueSnapshot: Sendable {
  struct Item: Sendable, Equatable {
    /// Time until it is due: zero or less: now; nil: nothing to wait for, or nothing may be claimed.
    let dueIn: Duration?
    /// The business instant at which it is, was or will be due: `Work.planned`.
    let dueAt: Timestamp?
    let isPaused: Bool
    /// Whether it stands until an operator accepts that the database was restored.
    var awaitsAcceptance = false
    /// See `Work.isUnconditional`.
    let isUnconditional: Bool
    /// See `Work.ignoresClockStop`.
    var ignoresClockStop = false
    let failing: Int64
    let quarantined: Int64
    /// Whether something is due now, whether or not it may be claimed.
    var isDue = false
    /// The instant at which the first of it is due, the same for all nodes: see `NodeOrder`.
    var instant: Timestamp?

    /// How late it is: zero where it is not due.
    var lateBy: Duration { dueIn.map { max(.zero, .zero - $0) } ?? .zero }
  }

  var items: [String: Item]
  /// The oldest transaction that may still write, and the next to begin: see `NotifyMark`.
  let oldest: UInt64
  let next: UInt64
  /// Business time and the database's real time.
  let now: Timestamp
  let real: Timestamp
  let clocks: ClockRecord
  let isSimulated: Bool
  /// The known problems until they are solved: names and texts alternate.
  var problems: [String] = []
  /// The names of the nodes that work, in order.
  var nodes: [String] = []
  /// How long before the answer's end the clocks were read.
  var age: Duration = .zero

  /// Business due-ness is measured on the business clock, the end of a back-off on the real one.
  static func statement(of works: [any Work]) -> Statement {
    let rows = works.map { work in
      """
      SELECT '\(work.name)' AS name, (\(work.nextDue)) AS due_at, (\(work.planned)) AS planned_at, \(work.isUnconditional)
        AS unconditional, \(work.ignoresClockStop) AS ignores_stop
      """
    }
    return """
      SELECT w.name, w.due_at,
        (1e6 * extract(epoch FROM least(w.due_at - c.now, f.retry_at - c.real)))::bigint,
        coalesce((SELECT j.paused FROM settled.job AS j WHERE j.name = w.name), false),
        f.failing, f.quarantined,
        pg_snapshot_xmin(pg_current_snapshot())::text, pg_snapshot_xmax(pg_current_snapshot())::text,
        c.now, c.real, r.*, coalesce((SELECT simulated FROM settled.installation), false), w.planned_at,
        \(raw: ProblemStatements.standing), (1e6 * extract(epoch FROM clock_timestamp() - c.real))::bigint,
        w.unconditional, \(raw: NodeStatements.working), w.ignores_stop,
        EXISTS (SELECT FROM settled.restoration AS x WHERE x.accepted_at IS NULL AND w.name = ANY (x.jobs))
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
    let decoded = try rows.decode(
      String.self, Timestamp?.self, Int64?.self, Bool.self, Int64.self, Int64.self, String.self, String.self,
      Timestamp.self, Timestamp.self, Int64.self, Int64.self, Int64.self, [String].self, [Int64].self, [Int64].self,
      [Int64].self, Bool.self, Timestamp?.self, [String].self, Int64.self, Bool.self, [String].self, Bool.self,
      Bool.self)
    guard let first = decoded.first, let oldest = UInt64(first.6), let next = UInt64(first.7) else {
      throw PostgresError(.decoding, "a look at the database found no work, or no transaction ids")
    }
    var clocks = ClockRecord()
    clocks.acceptances = first.10
    clocks.accepted = .milliseconds(first.11)
    clocks.baselines = first.12
    for (index, node) in first.13.enumerated() {
      var stop = ClockStop(node: node, difference: .milliseconds(first.14[index]), agreed: first.15[index])
      stop.isLifted = first.16[index] == 1
      stop.isAccepted = first.16[index] == 2
      clocks.stops.append(stop)
    }
    var items: [String: Item] = [:]
    for row in decoded {
      let dueIn = row.2.map { Duration.microseconds($0) }
      let mayNot = row.3 || row.24 || clocks.isClockStopped && !row.23
      items[row.0] = Item(
        dueIn: row.21 ? dueIn.map { min(.zero, $0) } : mayNot ? nil : dueIn, dueAt: row.18, isPaused: row.3,
        awaitsAcceptance: row.24, isUnconditional: row.21, ignoresClockStop: row.23, failing: row.4, quarantined: row.5,
        isDue: dueIn.map { $0 <= .zero } ?? false,
        instant: row.1)
    }
    self.init(
      items: items, oldest: oldest, next: next, now: first.8, real: first.9, clocks: clocks, isSimulated: first.17,
      problems: first.19, nodes: first.22, age: .microseconds(decoded.map(\.20).max() ?? 0))
  }
}
