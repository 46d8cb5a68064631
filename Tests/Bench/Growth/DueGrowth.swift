import Figures
import Postgres
import TestSupport

/// `deploy/bench growth-due`: the look for due work among races that are not due.
struct DueGrowth {
  let scale: GrowthScale

  /// So many races become due, one after the other.
  private static let due = 30

  func run() async throws -> Report {
    try await scale.report(of: "races", from: 1000, through: 10_000_000, bytesPerRow: 1500) { races, cluster, report in
      try await cluster.make("due")
      let owner = try await cluster.connect("due")
      let repetitions = scale.repetitions(at: races)
      // First, because each race of a herd starts a day earlier for each race before it.
      let ids = try await Herd(races: Self.due * repetitions.count, entries: 10).write(owner)
      try await write(races, owner)
      for repetition in repetitions {
        let due = Array(ids.dropFirst(Self.due * (repetition - 1)).prefix(Self.due))
        try await serve(due, among: races, owner, on: cluster, into: &report)
      }
      await owner.close()
    }
  }

  /// Races that run for another year, without entries: a tenth of them has ended and waits.
  private func write(_ races: Int, _ owner: Connection) async throws {
    try await owner.execute(
      """
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, next_check_at, created_at)
      SELECT 'top_speed', 'monthly', 'senior_women', c.now - n * interval '1 second', r.ends_at,
        c.now + interval '366 days', 100, 1, '{75,20,5}', interval '3 hours', interval '72 hours', r.status,
        c.now + interval '366 days', c.now
      FROM generate_series(1, \(Int64(races))) AS n, (SELECT settled.clock() AS now) AS c,
        LATERAL (SELECT CASE WHEN n % 10 = 0 THEN 'ended' ELSE 'active' END,
          CASE WHEN n % 10 = 0 THEN c.now ELSE c.now + interval '365 days' END) AS r (status, ends_at)
      """)
    try await owner.execute(
      "UPDATE racing.race SET due_at = now() + interval '1 day', next_check_at = now() + interval '1 day' WHERE entry_count > 0"
    )
  }

  private func serve(
    _ ids: [Int64], among races: Int, _ owner: Connection, on cluster: BenchCluster, into report: inout Report
  ) async throws {
    try await owner.execute("VACUUM (ANALYZE)")
    let daemon = try await cluster.daemon(on: "due", seenBy: owner)
    try await Breakdown.reset(owner)
    try await owner.execute(
      """
      UPDATE racing.race AS r SET due_at = d.at, next_check_at = d.at
      FROM (SELECT i.id, clock_timestamp() + interval '2 s' + i.n * interval '0.2 s' AS at
        FROM unnest(\(ids)) WITH ORDINALITY AS i (id, n)) AS d
      WHERE r.id = d.id
      """)
    try await untilTrue("the settlements", within: .seconds(120)) {
      try await owner.query(
        "SELECT count(*) = \(Int64(Self.due)) FROM racing.settlement WHERE race_id = ANY(\(ids))"
      ).one(Bool.self)
    }
    try await daemon.end()
    let lateness = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(s.xmin) - r.due_at)::double precision
      FROM racing.settlement AS s JOIN racing.race AS r ON r.id = s.race_id WHERE r.id = ANY(\(ids)) ORDER BY 1
      """
    ).decode(Double.self)
    let (query, _) = try await Breakdown.mean("%pg_snapshot_xmin%", owner)
    report.grow("look for due work", "ms", query, at: races, "races not due", target: GrowthScale.constant)
    report.grow("lateness p50", "ms", lateness.at(0.5), at: races, "races not due", target: GrowthScale.constant)
  }
}
