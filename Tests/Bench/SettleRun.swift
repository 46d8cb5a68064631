import Engine
import HostProcess
import HostClock
import Postgres
import TestSupport

/// One herd settled once: how long after its due instant the first and the last race were committed.
struct SettleRun {
  var first: Double = 0
  var last: Double = 0
  /// Processor time in milliseconds: the daemon's own, and that of the server's processes that worked for it.
  var processor: Double = 0
  var serverProcessor: Double = 0
  var parts: [(name: String, milliseconds: Double)] = []
  var deposits: [Double] = []
  /// Bytes of the server's WAL.
  var log: Double = 0
  /// The payments and records, as one digest.
  var digest = ""
}

extension SettleRun {
  /// By the daemon, asleep until its timer wakes it at the due instant.
  static func daemon(
    _ cluster: BenchCluster, _ database: String, shape: Shape, depositsOf athletes: ClosedRange<Int64>? = nil,
    lanes: Int = 2
  ) async throws -> SettleRun {
    let owner = try await cluster.connect(database)
    let daemon = try await cluster.daemon(on: database, seenBy: owner, ["SETTLED_SETTLEMENT_LANES": "\(lanes)"])
    let due = try await makeDue(owner, in: .seconds(3))
    try await Breakdown.reset(owner)
    let logBefore = try await owner.logPosition()
    let app = try await cluster.connect(database, user: "bench_app")
    let load = athletes.map { DepositLoad(app, of: $0) }
    let before = try ProcessUsage(pid: daemon.pid)
    let serverBefore = try await ProcessUsage.server(of: "settled", owner)
    let started = ContinuousClock.now + .microseconds(try await owner.microseconds(until: due))
    try await untilTrue("the end of the herd", within: .seconds(120)) {
      try await owner.query(
        """
        SELECT NOT EXISTS (SELECT FROM racing.race WHERE status = 'ended')
          AND NOT EXISTS (SELECT FROM settled.event_pending)
        """
      ).one(Bool.self)
    }
    let after = try ProcessUsage(pid: daemon.pid)
    var run = SettleRun()
    run.deposits = try await load?.stop(since: started) ?? []
    run.parts = try await Breakdown.read(owner)
    run.log = try await owner.logPosition() - logBefore
    run.processor = (after.processor - before.processor) * 1000
    run.serverProcessor = try await ProcessUsage.server(of: "settled", owner) - serverBefore
    try await daemon.end()
    try await run.finish(owner, since: due)
    return run
  }

  /// By the statement written by hand, begun when the races are due.
  static func statement(_ cluster: BenchCluster, _ database: String) async throws -> SettleRun {
    let owner = try await cluster.connect(database)
    let due = try await makeDue(owner, in: .milliseconds(500))
    try await Host.timekeeper.sleep(.microseconds(try await owner.microseconds(until: due) + 1000))
    // A session of its own, as fresh as the daemon's.
    let session = try await cluster.connect(database, user: "settled_daemon", application: "hand")
    let logBefore = try await owner.logPosition()
    let start = try await session.query("SELECT clock_timestamp()").one(Timestamp.self)
    try await session.execute(HandStatement.settle)
    var run = SettleRun()
    run.serverProcessor = try await ProcessUsage.server(of: "hand", owner)
    run.log = try await owner.logPosition() - logBefore
    try await run.finish(owner, since: start)
    return run
  }

  /// Everything in memory, the log's cost the same for both: then all races fall due at one instant.
  static func makeDue(_ owner: Connection, in delay: Duration) async throws -> Timestamp {
    for table in ["race", "entry", "activity", "wallet", "journal", "posting"] {
      try await owner.execute("SELECT count(*) FROM racing.\(raw: table)")
    }
    try await owner.execute("CHECKPOINT")
    let soon = "\(delay / .seconds(1)) seconds"
    return try await owner.query(
      """
      WITH at AS (SELECT clock_timestamp() + \(soon)::text::interval AS due), due AS (
        UPDATE racing.race SET due_at = at.due, next_check_at = at.due FROM at WHERE status = 'ended'
        RETURNING racing.race.due_at
      )
      SELECT min(due_at) FROM due
      """
    ).one(Timestamp.self)
  }

  /// Instants of commits are the log's own; then the books are checked.
  mutating func finish(_ owner: Connection, since start: Timestamp) async throws {
    (first, last, digest) = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM min(t.at) - \(start))::double precision,
        1e3 * extract(epoch FROM max(t.at) - \(start))::double precision,
        (SELECT md5(string_agg(p::text, ' ' ORDER BY race_id, entry_id)) FROM racing.payout AS p) || ' '
          || (SELECT md5(string_agg(concat_ws(' ', e.id, e.status, e.rank, e.score, e.activity_id, e.prize_pence), ' '
            ORDER BY e.id)) FROM racing.entry AS e) || ' '
          || (SELECT md5(string_agg(concat_ws(' ', s.race_id, s.outcome, s.fees_pence, s.platform_fee_pence,
            s.prize_pool_pence, s.counted_activities, s.held_activities), ' ' ORDER BY s.race_id))
            FROM racing.settlement AS s)
      FROM (SELECT pg_xact_commit_timestamp(xmin) AS at FROM racing.settlement WHERE settled_at >= \(start)) AS t
      """
    ).one(Double.self, Double.self, String.self)
    let differences = try await Books.differences(owner)
    guard differences.isEmpty else { throw BenchError("the books are wrong: \(differences.prefix(5))") }
    await owner.close()
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Connection {
  /// How many bytes of WAL the server has written since its creation.
  func logPosition() async throws -> Double {
    try await query("SELECT (pg_current_wal_insert_lsn() - '0/0')::double precision").one(Double.self)
  }

  /// From now until an instant, by the server's clock.
  fileprivate func microseconds(until instant: Timestamp) async throws -> Int64 {
    try await query("SELECT (1e6 * extract(epoch FROM \(instant) - clock_timestamp()))::bigint").one(Int64.self)
  }
}
