import EmbeddedPostgres
import Engine
import Foundation
import HostClock
import HostProcess
import Postgres
import TestSupport

/// A job queue on PostgreSQL that does the same work as settled: one job for each race, which calls `public.peer_run`.
///
/// `Tests/Peers` has its worker, with the settings that its documentation recommends, and the pinned versions.
enum Peer: String, CaseIterable, Sendable {
  case pgqueuer, procrastinate, awa

  /// The settings that a worker uses.
  enum Mode: String {
    case settle, ticks
    /// As documented for a start.
    case idle
  }

  /// Creates what all peers need: the function that a job calls, and the list of jobs.
  static func prepare(_ owner: Connection) async throws {
    try await owner.execute(HandStatement.function)
    try await owner.execute("CREATE TABLE public.peer_job (id bigint PRIMARY KEY, due timestamptz NOT NULL)")
  }
}

/// A peer's program on one database.
struct PeerProgram: Sendable {
  let peer: Peer
  let cluster: BenchCluster
  let database: String
  let mode: Peer.Mode

  /// The environment that `deploy/prepare peers` makes.
  private static let python: String = {
    let environment = ProcessInfo.processInfo.environment
    let cache = environment["XDG_CACHE_HOME"] ?? (environment["HOME"] ?? "/root") + "/.cache"
    return cache + "/settled/peers/bin/python3"
  }()

  private func start(_ command: String) throws -> SettledProcess {
    try SettledProcess(
      ["Tests/Peers/\(peer.rawValue)_peer.py", command],
      [
        "PGHOST": cluster.directory, "PGPORT": "5432", "PGUSER": "postgres", "PGDATABASE": database,
        "PEER_MODE": mode.rawValue, "PYTHONDONTWRITEBYTECODE": "1",
      ], program: Self.python)
  }

  /// Creates the peer's schema.
  func install() async throws { _ = try await finish("install") }

  /// Schedules the jobs of `public.peer_job`, and collects statistics, as autovacuum would in time.
  func enqueue(_ owner: Connection) async throws {
    _ = try await finish("enqueue")
    for table in try await finish("tables").split(separator: "\n") {
      try await owner.execute("ANALYZE \(raw: String(table))")
    }
    let isEarly = try await owner.query("SELECT coalesce(min(due) > clock_timestamp(), true) FROM public.peer_job")
      .one(Bool.self)
    guard isEarly else { throw BenchError("\(peer.rawValue) took too long to schedule the jobs") }
  }

  private func finish(_ command: String) async throws -> String {
    let process = try start(command)
    guard try await process.exit() == .code(0) else {
      throw BenchError("\(peer.rawValue) \(command) failed: \(process.errors.text)")
    }
    return process.output.text
  }

  /// A worker that is connected and rests.
  func work() async throws -> SettledProcess {
    let worker = try start("work")
    try await untilTrue("the start of \(peer.rawValue)") {
      guard worker.isRunning else { throw BenchError("\(peer.rawValue) ended: \(worker.errors.text)") }
      return worker.output.text.contains("ready")
    }
    return worker
  }

  func end(_ worker: SettledProcess) async throws {
    worker.terminate()
    _ = try await worker.exit()
  }
}

extension SettleRun {
  /// By a client that calls the same function for one race after the other, once they are due.
  static func calls(_ cluster: BenchCluster, _ database: String) async throws -> SettleRun {
    let owner = try await cluster.connect(database)
    try await Peer.prepare(owner)
    let due = try await makeDue(owner, in: .milliseconds(500))
    let races = try await owner.query("SELECT id FROM racing.race WHERE status = 'ended' ORDER BY id").decode(
      Int64.self)
    let client = try await cluster.connect(database)
    try await Host.timekeeper.sleep(.seconds(1))
    let start = try await client.query("SELECT clock_timestamp()").one(Timestamp.self)
    guard start > due else { throw BenchError("the races are not due yet") }
    for race in races { _ = try await client.query("SELECT public.peer_run(\(race))") }
    await client.close()
    var run = SettleRun()
    try await run.finish(owner, since: start)
    return run
  }

  /// By a peer's worker, which rests until the races are due.
  static func peer(_ peer: Peer, _ cluster: BenchCluster, _ database: String) async throws -> SettleRun {
    let owner = try await cluster.connect(database)
    try await Peer.prepare(owner)
    let program = PeerProgram(peer: peer, cluster: cluster, database: database, mode: .settle)
    try await program.install()
    let worker = try await program.work()
    let due = try await makeDue(owner, in: .seconds(15))
    try await owner.execute("INSERT INTO public.peer_job SELECT id, due_at FROM racing.race WHERE status = 'ended'")
    try await program.enqueue(owner)
    let before = try ProcessUsage(pid: worker.pid)
    try await untilTrue("the end of the herd", within: .seconds(180)) {
      guard worker.isRunning else { throw BenchError("\(peer.rawValue) ended: \(worker.errors.text)") }
      return try await owner.query("SELECT NOT EXISTS (SELECT FROM racing.race WHERE status = 'ended')").one(Bool.self)
    }
    var run = SettleRun()
    run.processor = (try ProcessUsage(pid: worker.pid).processor - before.processor) * 1000
    try await program.end(worker)
    try await run.finish(owner, since: due)
    return run
  }
}
