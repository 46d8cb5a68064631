import Engine
import Postgres
import TestSupport

/// A job on a small table of its own: each chore, once due, puts a penny into a purse that others may hold.
struct ChoreJob: TwoStepJob {
  let name = "chore"
  var largestBatch = 64

  let source = DueSource("chore", key: "id", [.init(at: "t.due_at", where: "NOT t.done")])

  func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] {
    try await transaction.query("SELECT id FROM chore WHERE id = ANY(\(keys)) AND NOT done").decode(Int64.self)
  }

  func key(of chore: Int64) -> Int64 { chore }

  func apply(_ chores: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await transaction.pipeline([
      "SELECT FROM purse WHERE id IN (SELECT purse FROM chore WHERE id = ANY(\(chores))) ORDER BY id FOR NO KEY UPDATE",
      """
      UPDATE purse AS p SET pence = p.pence + c.number
      FROM (SELECT purse, count(*) AS number FROM chore WHERE id = ANY(\(chores)) GROUP BY purse) AS c
      WHERE p.id = c.purse
      """,
      "UPDATE chore SET done = true WHERE id = ANY(\(chores))",
    ])
  }
}

/// A database with chores that are all due, each with a purse of its own, oldest first.
struct Chores: Sendable {
  let database: SettledDatabase
  let session: Connection
  let pool: Pool

  init(
    _ count: Int, lockTimeout: Duration = .milliseconds(200), statementTimeout: Duration = .seconds(30),
    hasRealClock: Bool = false
  ) async throws {
    database = try await hasRealClock ? SettledDatabase.real() : SettledDatabase.simulated()
    session = try await database.connect()
    var options = database.options(.owner)
    options.lockTimeout = lockTimeout
    options.statementTimeout = statementTimeout
    pool = Pool(options: options, size: 6, waitTimeout: .seconds(20), maximumWaiters: 100)
    try await session.script(
      """
      CREATE TABLE purse (id bigint PRIMARY KEY, pence bigint NOT NULL DEFAULT 0);
      CREATE TABLE chore (id bigint PRIMARY KEY, purse bigint NOT NULL REFERENCES purse, due_at timestamptz NOT NULL,
        done boolean NOT NULL DEFAULT false);
      """)
    try await add(1...Int64(count))
  }

  func add(_ ids: ClosedRange<Int64>) async throws {
    try await session.execute(
      "INSERT INTO purse (id) SELECT n FROM generate_series(\(ids.lowerBound), \(ids.upperBound)) AS n")
    try await session.execute(
      """
      INSERT INTO chore (id, purse, due_at) SELECT n, n, settled.clock() - interval '1 hour' + n * interval '1 ms'
      FROM generate_series(\(ids.lowerBound), \(ids.upperBound)) AS n
      """)
  }

  /// No failed item is retried before a test ends its back-off, however slow the machine is.
  func context(
    in pool: Pool? = nil, time: Timekeeper? = nil, observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) -> JobContext {
    var context = database.context(pool ?? self.pool, time: time, observe: observe)
    context.lockWait = .milliseconds(200)
    context.retries.backoff = Backoff(first: .seconds(600), factor: 2, longest: .seconds(3600))
    return context
  }

  var undone: [Int64] {
    get async throws { try await session.query("SELECT id FROM chore WHERE NOT done ORDER BY id").decode(Int64.self) }
  }

  /// Key, attempts, quarantined, SQLSTATE, error.
  var failures: [(String, Int64, Bool, String?, String)] {
    get async throws {
      try await session.query(
        "SELECT key, attempts::bigint, quarantined, sql_state, error FROM settled.failure ORDER BY key"
      ).decode(String.self, Int64.self, Bool.self, String?.self, String.self)
    }
  }

  /// Ends every back-off: the next attempt may be made now.
  func endBackoff() async throws {
    try await session.execute("UPDATE settled.failure SET next_attempt_at = last_at")
  }
}
