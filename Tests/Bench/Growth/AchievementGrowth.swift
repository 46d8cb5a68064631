import Figures
import Postgres
import TestSupport

/// `deploy/bench growth-achievements`: a definition that all users reach, and a report of one user, by the users.
struct AchievementGrowth {
  let scale: GrowthScale

  private static let reports = 200

  func run() async throws -> Report {
    try await scale.report(of: "users", from: 1000, through: 1_000_000, bytesPerRow: 6000) { users, cluster, report in
      try await cluster.make("users")
      let owner = try await cluster.connect("users")
      try await write(users, owner)
      await owner.close()
      for repetition in scale.repetitions(at: users) {
        note("\(users): repetition \(repetition)")
        try await cluster.copy("run", from: "users")
        let (one, all) = try await unlock(users, on: cluster)
        report.grow("report and check of one user", "ms", one, at: users, "users", target: GrowthScale.constant)
        report.grow("unlocks of all users", "ms", all, at: users, "users", target: GrowthScale.proportional)
      }
    }
  }

  /// Users who have read five books each.
  private func write(_ users: Int, _ owner: Connection) async throws {
    try await owner.execute(
      """
      INSERT INTO achievements.person (id, name, created_at, edition)
      SELECT n, 'Reader ' || n, settled.clock(), coalesce((SELECT max(number) FROM achievements.edition), 0)
      FROM generate_series(1, \(Int64(users))) AS n
      """)
    try await owner.execute(
      """
      INSERT INTO achievements.counter (user_id, metric, target_key, value)
      SELECT id, 'books_read', achievements.key_of(NULL), 5 FROM achievements.person
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
  }

  /// The median of one user's reports, and the time from the definition's commit to the last unlock's.
  private func unlock(_ users: Int, on cluster: BenchCluster) async throws -> (Double, Double) {
    let owner = try await cluster.connect("run")
    let daemon = try await cluster.daemon(on: "run", seenBy: owner)
    let app = try await cluster.connect("run", user: "bench_app")
    var times: [Double] = []
    for number in 1...Self.reports {
      // A multiplier without a common divisor visits different users.
      let user = Int64(1 + number * 7919 % users)
      let start = ContinuousClock.now
      try await app.execute(
        "SELECT achievements.report_metric(\(user), 'notes_created', 1, 'add', \("report \(number)"))")
      _ = try await app.query("SELECT achievements.check(\(user))::text").one(String.self)
      times.append(start.duration(to: .now) / .milliseconds(1))
    }
    try await app.execute(
      """
      SELECT achievements.define('{"slug": "reader", "name": "Reader", "description": "Reads five books",
        "icon": {"type": "book", "color": "#335577", "symbol": "R"}, "category": "career",
        "unlock_requirements": {"metric": "books_read", "value": 5}}')
      """)
    await app.close()
    try await untilTrue("all unlocks", within: .seconds(1200)) {
      try await owner.query(
        "SELECT NOT EXISTS (SELECT FROM achievements.evaluation)"
      ).one(Bool.self)
    }
    guard try await owner.query("SELECT count(*) FROM achievements.unlock").one(Int64.self) == Int64(users) else {
      throw BenchError("not all users unlocked the achievement")
    }
    try await daemon.end()
    let all = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM max(pg_xact_commit_timestamp(u.xmin)) - pg_xact_commit_timestamp(e.xmin))::double precision
      FROM achievements.unlock AS u, (SELECT xmin FROM achievements.edition ORDER BY number DESC LIMIT 1) AS e
      GROUP BY e.xmin
      """
    ).one(Double.self)
    await owner.close()
    return (times.sorted().at(0.5), all)
  }
}
