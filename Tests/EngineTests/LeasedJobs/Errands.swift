import Engine
import Postgres
import Synchronization
import TestSupport

/// A leased job on a small table of its own: each errand, once due, needs one answer of a foreign server.
struct ErrandJob: LeasedJob {
  let name = "errand"
  var limits = LeaseLimits(callsMax: 4, call: .seconds(30), lease: .seconds(61))
  var budget: CallBudget?
  var ignoresClockStop = false
  /// Longer than a test lasts.
  let retries: RetryPolicy = {
    var retries = RetryPolicy()
    retries.backoff = Backoff(first: .seconds(600), factor: 4, longest: .seconds(6000))
    return retries
  }()
  let port: Int
  /// The conditions of an errand that is ready.
  var condition = "true"
  var onPrepare: @Sendable () -> Void = {}
  /// Called before each call, with its key.
  var onCall: @Sendable (Int64) async -> Void = { _ in }
  var onEnd: @Sendable (Int64) -> Void = { _ in }

  let source = DueSource("errand", key: "id", [.init(at: "t.due_at", where: "NOT t.done")])

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] {
    onPrepare()
    return try await transaction.query(
      "SELECT id FROM errand WHERE id = ANY(\(keys)) AND NOT done AND \(raw: condition) ORDER BY id"
    )
    .decode(Int64.self)
  }

  func key(of errand: Int64) -> Int64 { errand }

  func call(_ errand: Int64, under lease: Int64) async throws -> Int64 {
    await onCall(errand)
    defer { onEnd(errand) }
    return try await ForeignServer.ask("\(errand)", port: port)
  }

  func concernsPeer(_ error: any Error) -> Bool { if case ForeignError.closed = error { true } else { false } }

  func apply(_ reply: Int64, to errand: Int64, at now: Timestamp, in transaction: Transaction) async throws {
    try await transaction.execute(
      "UPDATE errand SET done = true, written = written + 1, reply = \(reply) WHERE id = \(errand)")
  }

  func applyLate(_ reply: Int64, to errand: Int64, at now: Timestamp, in transaction: Transaction) async throws {
    try await transaction.execute("UPDATE errand SET late = late + 1 WHERE id = \(errand)")
  }

  func noteFailure(
    _ error: any Error, of errand: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws {
    try await transaction.execute("UPDATE errand SET failed = failed + 1 WHERE id = \(errand)")
  }

  func noteAbandoned(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
    try await transaction.execute("UPDATE errand SET abandoned = abandoned + 1 WHERE id = ANY(\(keys))")
  }
}

/// A database with errands that are all due, and nodes whose boot clocks the test sets forward.
struct Errands: Sendable {
  let database: SettledDatabase
  let session: Connection

  init(_ count: Int) async throws {
    database = try await SettledDatabase.simulated()
    session = try await database.connect()
    try await session.script(
      """
      CREATE TABLE errand (id bigint PRIMARY KEY, due_at timestamptz NOT NULL, done boolean NOT NULL DEFAULT false,
        reply bigint, written integer NOT NULL DEFAULT 0, late integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0, abandoned integer NOT NULL DEFAULT 0);
      GRANT SELECT, UPDATE ON errand TO settled_daemon;
      INSERT INTO errand (id, due_at) SELECT n, settled.clock() - interval '1 hour' + n * interval '1 ms'
        FROM generate_series(1, \(count)) AS n;
      """)
  }

  /// One run of a node: its own sessions and its own boot clock.
  func node(_ job: ErrandJob, name: String = "a") -> Node { Node(self, job, name) }

  final class Node: Sendable {
    let runner: LeasedRunner<ErrandJob>
    let pool: Pool
    let clock = BootClock()

    init(_ errands: Errands, _ job: ErrandJob, _ name: String) {
      var options = errands.database.options(.daemon)
      options.settings["search_path"] = "public"
      options.applicationName = name
      pool = Pool(options: options, size: 8, waitTimeout: .seconds(20), maximumWaiters: 100)
      runner = LeasedRunner(job, in: errands.database.context(pool, time: clock.time, run: name))
    }

    /// One turn, and the calls that it began.
    @discardableResult
    func turn() async throws -> Int {
      let outcome = await runner.runDue(until: StopFlag(), due: .zero)
      await runner.finish()
      if let interruption = outcome.interruption { throw interruption }
      return outcome.items
    }
  }

  /// Of an errand: done, written, late, failed, abandoned.
  func errand(_ id: Int64) async throws -> [Int64] {
    try await session.query(
      "SELECT ARRAY[done::int, written, late, failed, abandoned]::bigint[] FROM errand WHERE id = \(id)"
    ).one([Int64].self)
  }

  var leases: Int64 {
    get async throws { try await session.query("SELECT count(*) FROM settled.lease").one(Int64.self) }
  }

  /// Key, attempts, error.
  var failures: [String] {
    get async throws {
      try await session.query("SELECT key || ' ' || attempts || ' ' || error FROM settled.failure ORDER BY key")
        .decode(String.self)
    }
  }

  /// Nothing has failed, and nothing is leased.
  var isClean: Bool { get async throws { try await failures.isEmpty ? leases == 0 : false } }

  func endBackoff() async throws { try await session.execute("UPDATE settled.failure SET next_attempt_at = last_at") }
}

/// The host's boot clock, which a test sets forward.
final class BootClock: Sendable {
  private let ahead = Mutex(Duration.zero)

  func advance(by span: Duration) { ahead.withLock { $0 += span } }

  var time: Timekeeper {
    let host = TestTime.host
    return Timekeeper(
      now: host.now, boot: { [self] in host.boot() + ahead.withLock { $0 } }, bootId: "a", wall: host.wall,
      sleep: host.sleep, draw: { 0.5 })
  }
}
