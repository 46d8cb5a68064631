import Postgres
import TestSupport

/// `deploy/bench corrections`: a race is settled, its winner disqualified, and the race corrected, by the daemon.
struct CorrectionsBench {
  let repetitions: Int
  /// The largest race.
  let largest: Int

  private var sizes: [Int] { [1000, 10_000, 100_000].filter { $0 <= largest } }

  func run() async throws -> Report {
    try await BenchCluster.with { try await measure(on: $0) }
  }

  private func measure(on cluster: BenchCluster) async throws -> Report {
    var report = Report()
    for entries in sizes {
      let race = try await Self.write(entries, on: cluster)
      for repetition in 1...repetitions {
        note("\(entries): repetition \(repetition) of \(repetitions)")
        let (settled, corrected) = try await Self.correct(race, on: cluster)
        report.add("\(entries) entries: settlement", "ms", settled)
        report.add("\(entries) entries: correction", "ms", corrected)
        let target = entries == 100_000 ? 1.5 : nil
        report.add("\(entries) entries: correction / settlement", "x", corrected / settled, target: target)
      }
    }
    return report
  }

  /// Writes a race that is not due yet into the database `large`, and returns its id.
  static func write(_ entries: Int, on cluster: BenchCluster) async throws -> Int64 {
    note("\(entries): writing the race")
    try await cluster.make("large")
    let owner = try await cluster.connect("large")
    _ = try await Herd(races: 1000, entries: 10).write(owner)
    try await owner.execute(HandStatement.settle)
    // Without statistics the planner joins the next herd's rows one by one.
    try await owner.execute("ANALYZE")
    var herd = Herd(races: 1, entries: entries)
    herd.hasVoidRaces = false
    let race = try await herd.write(owner)[0]
    try await owner.execute(
      """
      UPDATE racing.race SET due_at = clock_timestamp() + interval '1 day',
        next_check_at = clock_timestamp() + interval '2 days'
      WHERE id = \(race)
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
    await owner.close()
    return race
  }

  /// Settles and corrects the race in a copy.
  ///
  /// Returns milliseconds: from the due instant to the settlement's commit, and from the decision's commit to the
  /// correction's. `isChecked` if the books are compared with the rules afterwards.
  static func correct(
    _ race: Int64, on cluster: BenchCluster, isChecked: Bool = true
  ) async throws -> (Double, Double) {
    try await cluster.copy("run", from: "large")
    let owner = try await cluster.connect("run")
    let daemon = try await cluster.daemon(on: "run", seenBy: owner)
    let due = try await SettleRun.makeDue(owner, in: .seconds(3))
    try await Breakdown.reset(owner)
    try await wait(for: 1, of: race, owner)
    try await owner.execute("CHECKPOINT")
    let app = try await cluster.connect("run", user: "bench_app")
    let winner = try await owner.query(
      "SELECT activity_id FROM racing.entry WHERE race_id = \(race) AND rank = 1 ORDER BY id LIMIT 1"
    ).one(Int64.self)
    _ = try await app.query("SELECT racing.review_activity(\(winner), 'disqualify', 'bench', 'measured')")
    try await wait(for: 2, of: race, owner)
    try await daemon.end()
    for part in try await Breakdown.read(owner) where part.milliseconds >= 1 {
      note("server: \(part.name): \(Int(part.milliseconds)) ms")
    }
    let times = try await owner.query(
      """
      SELECT 1e3 * extract(epoch FROM pg_xact_commit_timestamp(f.xmin) - \(due))::double precision,
        1e3 * extract(epoch FROM pg_xact_commit_timestamp(s.xmin) - pg_xact_commit_timestamp(d.xmin))::double precision
      FROM racing.settlement AS f, racing.settlement AS s, racing.decision AS d
      WHERE f.race_id = \(race) AND f.revision = 1 AND s.race_id = f.race_id AND s.revision = 2
      """
    ).one(Double.self, Double.self)
    if isChecked {
      let differences = try await Books.differences(owner)
      guard differences.isEmpty else { throw BenchError("the books are wrong: \(differences.prefix(5))") }
    }
    await owner.close()
    return times
  }

  private static func wait(for revision: Int32, of race: Int64, _ owner: Connection) async throws {
    try await untilTrue("revision \(revision)", within: .seconds(600)) {
      try await owner.query(
        "SELECT EXISTS (SELECT FROM racing.settlement WHERE race_id = \(race) AND revision = \(revision))"
      ).one(Bool.self)
    }
  }
}
