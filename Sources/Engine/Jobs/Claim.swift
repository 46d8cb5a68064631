package import Postgres
import Synchronization

/// The due items that a job claims, and how.
package struct LockRequest<Key: JobKey>: Sendable {
  /// The treatment of rows that another transaction has locked.
  package enum Mode: Sendable {
    /// Skip them.
    case skipLocked
    /// Wait for them, under `lock_timeout`: the cure for rows that are never free when polled.
    case wait
    /// Only read: nothing is locked.
    case peek
  }

  /// SQL: business time, read before the locks: an item due by then is due after them as well.
  package var now: String { "(SELECT settled.clock())" }

  package let limit: Int
  /// The limit in the text of the statement: it differs from the batch's where a rehearsal claims nothing.
  let textLimit: Int
  package let mode: Mode
  /// Claim this item alone, whether or not a failure delays it.
  package let only: Key?
  /// Leave these out: they are waited for separately.
  package let except: [Key]
  /// Only these, unless a failure delays them.
  package let among: [Key]?
  /// Leave out the items of a leased job that a node works on.
  package let leased: Bool
  /// Keep the keys in the transaction, so that the next statements of the round trip read the items:
  /// `BatchKeys.claimed`.
  package let remembersKeys: Bool
  /// The server waits for this instant before it claims.
  var notBefore: ServerInstant?

  package init(
    limit: Int, mode: Mode = .skipLocked, only: Key? = nil, except: [Key] = [], among: [Key]? = nil,
    leased: Bool = false, textLimit: Int? = nil, remembersKeys: Bool = false
  ) {
    self.limit = limit
    self.textLimit = textLimit ?? limit
    self.mode = mode
    self.only = only
    self.except = except
    self.among = among
    self.leased = leased
    self.remembersKeys = remembersKeys
  }

  /// The same claim, whose reads follow in a round trip of their own.
  var withoutReads: LockRequest {
    LockRequest(
      limit: limit, mode: mode, only: only, except: except, among: among, leased: leased, textLimit: textLimit)
  }

  /// The locking clause for the table with the alias `alias`.
  package func clause(of alias: String) -> String {
    switch mode {
    case .skipLocked: "FOR NO KEY UPDATE OF \(alias) SKIP LOCKED"
    case .wait: "FOR NO KEY UPDATE OF \(alias)"
    case .peek: ""
    }
  }

  /// The condition on the item's key: that one item, or every other item that neither a failure nor a lease blocks.
  package func condition(job: String, key: KeyColumns) -> Statement {
    if let only { return key.isAmong([only]) }
    let free: Statement = "\(raw: BackoffFilter.excluded(job: job, key: key.text, leased: leased))"
    if let among { return "\(fragment: key.isAmong(among)) AND \(fragment: free)" }
    return except.isEmpty ? free : "NOT (\(fragment: key.isAmong(except))) AND \(fragment: free)"
  }
}

/// An instant by the node's own time and by the server's clock.
package struct ServerInstant: Sendable, Equatable {
  let node: Duration
  package let server: Timestamp

  /// Nil if the server's clock has no such instant.
  package init?(node: Duration, server: Timestamp?) {
    guard let server else { return nil }
    (self.node, self.server) = (node, server)
  }

  /// When work falls due; nil if the business clock is not the server's.
  package init?(_ coming: ComingWork) { self.init(node: coming.due, server: coming.serverDue) }

  /// Another instant, a short time away.
  package func at(_ node: Duration) -> ServerInstant? {
    ServerInstant(node: node, server: server.advanced(by: node - self.node))
  }
}

/// The items that the reads of a batch are about, each named by a `bigint`.
package enum BatchKeys: Sendable {
  case these([Int64])
  /// The items of this transaction's claim: `LockRequest.remembersKeys`.
  case claimed

  /// SQL of an array.
  package var array: Statement {
    switch self {
    case .these(let keys): "\(planStable: keys)"
    case .claimed: "(SELECT current_setting('settled.claimed')::bigint[])::bigint[]"
    }
  }

  /// A claim that keeps its keys until the transaction ends.
  static func remember(_ claim: Statement) -> Statement {
    """
    WITH locked (id) AS MATERIALIZED (\(fragment: claim))
    SELECT unnest((SELECT set_config('settled.claimed', coalesce(array_agg(l.id), '{}')::text, true)
      FROM locked AS l)::bigint[])
    """
  }
}

/// The way into a job's transaction: reads the business clock, and allows no claim while the job is paused or a clock
/// is wrong.
package struct ClaimGate: Sendable {
  let clockGuard: ClockGuard

  package init(_ clockGuard: ClockGuard) {
    self.clockGuard = clockGuard
  }

  /// SQL of one Boolean: whether a job may claim. Polls and claims use the same condition.
  ///
  /// A job that ignores clock stops stops for a pause, and after a restore.
  static func mayClaim(_ job: Statement, ignoresClockStop: Bool) -> Statement {
    ignoresClockStop ? "NOT settled.is_stopped(\(fragment: job))" : "settled.may_claim(\(fragment: job))"
  }

  /// The clocks, and whether the job may claim: in the round trip of its locks, after them.
  package static func entry(_ job: String, ignoresClockStop: Bool = false) -> Statement {
    let mayClaim = mayClaim("\(job)", ignoresClockStop: ignoresClockStop)
    return "SELECT settled.clock(), \(fragment: mayClaim), clock_timestamp()"
  }

  /// The business time of an `entry`, after the locks; nil while the job is paused or the clock is stopped. Throws
  /// `EngineError.clock` if this node sees a wrong clock that is not stopped yet.
  package func admit(_ entry: Rows, ignoresClockStop: Bool = false) throws -> Timestamp? {
    let (now, mayClaim, real) = try entry.one(Timestamp.self, Bool.self, Timestamp.self)
    if !ignoresClockStop { try judge(real) }
    return mayClaim ? now : nil
  }

  /// The business time after the locks of a transaction that always may claim, such as an operator's command.
  package func again(_ session: some Session) async throws -> Timestamp {
    let (now, real) = try await session.query("SELECT settled.clock(), clock_timestamp()")
      .one(Timestamp.self, Timestamp.self)
    try judge(real)
    return now
  }

  /// Whether any node has found the clock wrong, so that no node may settle anything.
  package func isClockStopped(_ transaction: Transaction) async throws -> Bool {
    try await transaction.query(
      "SELECT EXISTS (SELECT FROM settled.clock_hold WHERE NOT lifted AND NOT accepted)"
    ).one(Bool.self)
  }

  /// Whether a job waits for an operator to accept that the database was restored.
  package func isStoppedAfterRestore(_ job: String, _ transaction: Transaction) async throws -> Bool {
    try await transaction.query(RestoreStatements.stops(job)).one(Bool.self)
  }

  private func judge(_ real: Timestamp) throws {
    let verdict = clockGuard.judge(clockGuard.reading(database: real))
    guard verdict == .agrees else { throw EngineError(.clock, "\(verdict)") }
  }
}

/// The items that an attempt has claimed, in case it fails or waits.
package final class Claimed<Key: JobKey>: Sendable {
  private let storage = Mutex<(keys: [Key], since: Duration?, backend: Int32?)>(([], nil, nil))

  package init() {}

  /// The items it locked.
  package var keys: [Key] { storage.withLock { $0.keys } }

  /// When it locked them, by the node's own time.
  package var since: Duration? { storage.withLock { $0.since } }

  package func note(_ keys: [Key], since now: Duration) {
    storage.withLock { ($0.keys, $0.since) = (keys, now) }
  }

  /// The server process that waits for a lock.
  var backend: Int32? {
    get { storage.withLock { $0.backend } }
    set { storage.withLock { $0.backend = newValue } }
  }
}

/// Finds the holder of the row that a job waits for, during the wait, and lists the item.
struct LockProbe: Sendable {
  let context: JobContext

  /// The back ends that block the waiting one, queried repeatedly during its wait until there are any. The caller
  /// cancels it when the wait is over.
  func blockers(of waiting: Claimed<some JobKey>) -> Task<[Int32], Never> {
    Task { [context] in
      var found: [Int32] = []
      do {
        while found.isEmpty {
          try await context.time.sleep(context.lockWait / 5)
          guard let backend = waiting.backend else { continue }
          found = try await context.pool.withConnection { connection in
            try await connection.query("SELECT unnest(pg_blocking_pids(\(backend)))").decode(Int32.self)
          }
        }
      } catch {}
      return found
    }
  }

  /// Terminates sessions of this daemon's own role among the holders whose clients no longer read their results: their
  /// nodes hang, and the server applies no time-out while it sends.
  func endHung(_ holders: [Int32]) async {
    let ended: Statement = """
      SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a
      WHERE a.pid = ANY(\(holders)) AND a.usename = current_user AND a.state = 'active' AND a.wait_event = 'ClientWrite'
        AND a.state_change < clock_timestamp() - \(context.hungAfter.microseconds)::bigint * interval '1 microsecond'
      """
    _ = try? await context.pool.withConnection { try await $0.query(ended) }
  }

  /// Lists the item as delayed by the server's lack of resources; no attempt is counted.
  func list(job: String, key: String, delayedBy error: any Error) async {
    do {
      let record = FailureStatements.recordDelay(job: job, key: key, error: FailureText(error))
      _ = try await context.pool.withConnection { try await $0.execute(record) }
      context.observe(.warning(job: job, key: key, text: "the server lacks the resources for this item: \(error)"))
    } catch {
      context.observe(.contention(job: job, error: error))
    }
  }

  /// Lists the item as delayed by a lock; no attempt is counted.
  func list(job: String, key: String, lockedBy holders: [Int32]) async {
    do {
      _ = try await context.pool.withConnection { connection in
        let names = try await connection.query(LockHolders.named("\(holders)")).one(String?.self)
        let text = FailureText(lockHeldBy: names ?? "an unknown session")
        return try await connection.execute(FailureStatements.recordDelay(job: job, key: key, error: text))
      }
      context.observe(.itemDelayed(job: job, key: key, by: holders))
    } catch {
      context.observe(.contention(job: job, error: error))
    }
  }
}

/// The holders of a lock, in words.
package enum LockHolders {
  /// SQL of one text, null if there is none: `back end 4711, a prepared transaction (GID)`.
  ///
  /// - Parameter pids: SQL of an array, as `pg_blocking_pids` returns it: 0 stands for a prepared transaction, which
  ///   has no process. The oldest ones of this database are named.
  package static func named(_ pids: Statement) -> Statement {
    """
    SELECT string_agg(CASE WHEN h.pid = 0 THEN 'a prepared transaction' || coalesce(' (' || p.names || ')', '')
      ELSE 'back end ' || h.pid END, ', ' ORDER BY h.place)
    FROM (SELECT b.pid, min(b.place) AS place FROM unnest(\(fragment: pids)) WITH ORDINALITY AS b (pid, place)
      GROUP BY b.pid) AS h,
    (SELECT string_agg(left(x.gid, 60), ', ' ORDER BY x.prepared) AS names
      FROM (SELECT gid, prepared FROM pg_prepared_xacts WHERE database = current_database()
        ORDER BY prepared LIMIT 3) AS x) AS p
    """
  }
}
