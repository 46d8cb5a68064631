import EmbeddedPostgres
import Engine
import Simulation
import Synchronization
import TestSupport

@testable import Postgres

/// The server's side of a history: real sessions, driven step by step.
final class ServerWorld {
  /// A statement under way, and how it ended.
  private final class Run: Sendable {
    private let ended = Mutex<String?>(nil)
    private let task: Mutex<Task<String, Never>?> = Mutex(nil)

    init(_ body: @escaping @Sendable () async -> String) {
      let task = Task {
        let text = await body()
        ended.withLock { $0 = text }
        return text
      }
      self.task.withLock { $0 = task }
    }

    var outcome: String? { ended.withLock { $0 } }

    func value() async -> String { await task.withLock { $0 }?.value ?? "never begun" }
  }

  private let database: SettledDatabase
  private let watcher: Connection
  private let translate: Translator
  private var connections: [Slot: Connection] = [:]
  private var runs: [Slot: Run] = [:]
  /// The id before the first one of the history.
  private var baseID: Int64 = 0

  init(in cluster: EmbeddedPostgres) async throws {
    database = try await SettledDatabase.simulated(in: cluster)
    watcher = try await database.connect()
    translate = Translator(database.context())
    try await watcher.script(Self.schema)
    // A wait that closes a circle is the one that fails, because all others have been checked before.
    try await watcher.execute(
      "ALTER DATABASE \(raw: database.database.name.quotedIdentifier) SET deadlock_timeout = '1ms'")
    for slot in Slot.allCases { try await connect(slot) }
  }

  private static let schema = """
    CREATE TABLE public.chore (id bigint PRIMARY KEY, due_at timestamptz NOT NULL, done boolean NOT NULL DEFAULT false,
      served bigint NOT NULL DEFAULT 0);
    CREATE INDEX chore_due ON public.chore (due_at, id) WHERE NOT done;
    CREATE TABLE public.errand (LIKE public.chore INCLUDING ALL);
    CREATE TABLE public.resource (id bigint PRIMARY KEY, value bigint NOT NULL DEFAULT 0);
    GRANT ALL ON public.chore, public.errand, public.resource TO settled_daemon;
    CREATE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF due_at ON public.chore
      FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
    CREATE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF due_at ON public.errand
      FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
    """

  /// Rows are found by their indexes, as in large tables, so that a statement meets them in the order of their keys.
  private func connect(_ slot: Slot) async throws {
    var options = database.options(slot.role)
    options.settings.merge(["enable_seqscan": "off", "enable_bitmapscan": "off", "jit": "off"]) { $1 }
    if !slot.node.isEmpty { options.settings["settled.node"] = slot.node }
    connections[slot] = try await Connection.connect(options)
  }

  private func connection(_ slot: Slot) throws -> Connection {
    guard let connection = connections[slot] else { throw Difference("\(slot) has no connection") }
    return connection
  }

  private func slot(of backend: Int32) -> Slot? { connections.first { $0.value.backendPID == backend }?.key }

  /// Makes the rows and the sessions as a history begins.
  func begin() async throws {
    for slot in Slot.allCases {
      try await connection(slot).script("UNLISTEN *")
      _ = try await notifications(slot)
    }
    let keys = Array(Beginning.keys)
    let due = keys.map { Instant.hour(Beginning.hour(of: $0)) }
    let jobs = Beginning.jobs.map { "public.\($0)" }.joined(separator: ", ")
    let settled = ["failure", "lease", "node", "job", "clock_hold", "restoration", "event_pending"]
    let statements: [Statement] =
      [
        """
        TRUNCATE \(raw: jobs), public.resource, \(raw: settled.map { "settled.\($0)" }.joined(separator: ", "))
          RESTART IDENTITY
        """,
        """
        UPDATE settled.installation SET clock_base = \(Beginning.clock), clock_set_at = clock_timestamp(),
          clock_running = false
        """,
        "INSERT INTO public.resource (id) SELECT unnest(\(Array(Beginning.resources)))",
        """
        INSERT INTO settled.node (node, version, started_at, last_seen_at, state, needs_notify)
        SELECT \(Beginning.silentNode), '', s.at, s.at, 'ready', true
        FROM (SELECT clock_timestamp() - \(Beginning.silence.components.seconds) * interval '1 second' AS at) AS s
        """,
      ]
      + Beginning.jobs.map { "INSERT INTO public.\(raw: $0) (id, due_at) SELECT * FROM unnest(\(keys), \(due))" }
    _ = try await watcher.pipeline(statements)
    baseID = try await idsNow().next - 1
  }

  // MARK: Steps

  /// Carries an act out, and compares how it ends, and what else it lets end, with what is expected.
  func carryOut(_ act: Act, expecting outcomes: [Slot: String]) async throws {
    let slot = act.slot
    switch act {
    case .begin: try await send("BEGIN", slot)
    case .commit: try await end("COMMIT", slot)
    case .rollback: try await end("ROLLBACK", slot)
    case .run(_, let statement):
      let (connection, translation) = (try connection(slot), try translation(statement, slot))
      start(slot) { try translation.text(await connection.query(translation.statement)) }
    case .runImpatiently(_, let statement):
      let (connection, translation) = (try connection(slot), try translation(statement, slot))
      let limit = ModelWorld.lockTimeout.components.attoseconds / 1_000_000_000_000_000
      start(slot) {
        let replies = try await connection.pipeline([
          "SET LOCAL lock_timeout = \(raw: "\(limit)")", translation.statement, "SET LOCAL lock_timeout = 0",
        ])
        return try translation.text(replies[1])
      }
    case .cancel:
      try await watcher.execute("SELECT pg_cancel_backend(\(try connection(slot).backendPID))")
    case .lose: try await replace(slot)
    case .loseCommit:
      try await end("COMMIT", slot)
      _ = await runs.removeValue(forKey: slot)?.value()
      try await replace(slot)
    }
    for (slot, expected) in outcomes.sorted(by: { $0.key < $1.key }) where expected != "waits" {
      guard let run = runs[slot] else { throw Difference("\(slot) runs nothing: \(expected) is expected") }
      let found = try await within(.seconds(20), "\(slot): \(expected)") { await run.value() }
      guard found == expected else { throw Difference("\(slot): the server has \(found), the model has \(expected)") }
      runs[slot] = nil
    }
  }

  private func translation(_ statement: DatabaseModel.Statement, _ slot: Slot) throws -> Translation {
    translate(statement, backend: try connection(slot).backendPID)
  }

  private func start(_ slot: Slot, _ body: @escaping @Sendable () async throws -> String) {
    runs[slot] = Run {
      do {
        return "done \(try await body())"
      } catch let error as PostgresError {
        return "failed \(error.sqlState ?? "\(error)")"
      } catch {
        return "failed \(error)"
      }
    }
  }

  private func send(_ statement: Statement, _ slot: Slot) async throws {
    let connection = try connection(slot)
    runs[slot] = Run { (try? await connection.query(statement)) == nil ? "failed" : "done" }
  }

  private func end(_ statement: Statement, _ slot: Slot) async throws {
    let connection = try connection(slot)
    runs[slot] = Run {
      do {
        // The server answers the COMMIT of a failed transaction with ROLLBACK.
        return try await connection.query(statement).tag == statement.sql ? "done" : "failed 25P02"
      } catch let error as PostgresError {
        return "failed \(error.sqlState ?? "\(error)")"
      } catch {
        return "failed \(error)"
      }
    }
  }

  /// Ends a session as an administrator would, waits until the server has forgotten it, and begins another one.
  private func replace(_ slot: Slot) async throws {
    if let backend = connections.removeValue(forKey: slot)?.backendPID {
      try await watcher.execute("SELECT pg_terminate_backend(\(backend))")
      try await look(for: "the end of \(slot)") {
        try await watcher.query("SELECT FROM pg_stat_activity WHERE pid = \(backend)").isEmpty
      }
    }
    runs[slot] = nil
    try await connect(slot)
  }

  /// Ends all sessions, in any state.
  func closeAll() async throws { for slot in Slot.allCases { try await replace(slot) } }

  // MARK: Observations

  /// Waits until these slots wait for those: a slot that has ended instead is a difference.
  func expect(waiting: [Slot: [Slot]]) async throws {
    guard !waiting.isEmpty else { return }
    let backends = try waiting.keys.sorted().map { try connection($0).backendPID }
    var found: [Slot: [Slot]] = [:]
    try await look(for: "the waits \(waiting)") {
      let rows = try await watcher.query(
        """
        SELECT l.pid, pg_blocking_pids(l.pid) FROM pg_locks AS l WHERE NOT l.granted AND l.pid = ANY(\(backends))
        """
      ).decode(Int32.self, [Int32].self)
      found = [:]
      for (backend, blockers) in rows {
        guard let slot = slot(of: backend) else { continue }
        found[slot] = blockers.compactMap(self.slot).sorted()
      }
      for slot in waiting.keys.sorted() where found != waiting {
        if let outcome = runs[slot]?.outcome { throw Difference("\(slot) has \(outcome), and waits in the model") }
      }
      return found == waiting
    }
  }

  /// Looks again and again until what other sessions do is seen; the first looks follow each other at once.
  private func look(for what: String, _ isSeen: () async throws -> Bool) async throws {
    for look in 0..<2000 {
      if try await isSeen() { return }
      if look > 20 { try await pauseBetweenLooks() }
    }
    throw Difference("\(what) did not come")
  }

  /// Waits until every wait is so old that the server has looked for deadlocks.
  func untilChecked() async throws {
    try await look(for: "the checks for deadlocks") {
      try await watcher.query(
        """
        SELECT FROM pg_locks WHERE NOT granted
          AND (waitstart IS NULL OR waitstart > clock_timestamp() - interval '100 milliseconds')
        """
      ).isEmpty
    }
  }

  /// The notifications that have reached an idle session, as text.
  func notifications(_ slot: Slot) async throws -> [String] {
    let connection = try connection(slot)
    // What other sessions have sent before their answer is there with the next answer of this one.
    try await connection.check(within: .seconds(10))
    return try await connection.notifications(until: .now).map { note in
      "\(note.payload) of \(self.slot(of: note.pid).map { "\($0)" } ?? "a session that has ended")"
    }
  }

  /// The oldest transaction that runs and the one after the last that ended, since the history began.
  func ids() async throws -> (oldest: Int64, next: Int64) {
    let (oldest, next) = try await idsNow()
    return (oldest - baseID, next - baseID)
  }

  private func idsNow() async throws -> (oldest: Int64, next: Int64) {
    try await watcher.query(
      """
      SELECT pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint FROM pg_current_snapshot() AS s
      """
    ).one(Int64.self, Int64.self)
  }

  /// All rows, as text.
  func rows() async throws -> [String] {
    let items = Beginning.jobs.map {
      "SELECT concat_ws(' ', '\($0)', id, extract(epoch FROM due_at)::bigint, done, served) FROM public.\($0)"
    }
    let rows: [String] = try await watcher.query(
      """
      \(raw: items.joined(separator: " UNION ALL "))
      UNION ALL SELECT concat_ws(' ', 'resource', id, value) FROM public.resource
      UNION ALL SELECT concat_ws(' ', 'failure', job, key, attempts, quarantined) FROM settled.failure
      UNION ALL SELECT concat_ws(' ', 'lease', job, key, owner, generation) FROM settled.lease
      UNION ALL SELECT concat_ws(' ', 'node', node, state, needs_notify, beats, backend_pid IS NOT NULL)
        FROM settled.node
      UNION ALL SELECT concat_ws(' ', 'pause', name, paused) FROM settled.job
      UNION ALL SELECT concat_ws(' ', 'stop', node, difference_milliseconds, lifted, accepted) FROM settled.clock_hold
      UNION ALL SELECT concat_ws(' ', 'restoration', node, array_to_string(jobs, ',')) FROM settled.restoration
        WHERE accepted_at IS NULL
      UNION ALL SELECT concat_ws(' ', 'clock', extract(epoch FROM clock_base)::bigint) FROM settled.installation
      """
    ).decode(String.self)
    return rows.sorted()
  }
}

/// What the server does, and the model does not.
struct Difference: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
