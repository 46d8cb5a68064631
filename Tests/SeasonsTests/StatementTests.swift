import Engine
import Postgres
import TestSupport
import Testing

@testable import Seasons

@Suite("Every statement of seasons") struct StatementTests {
  private static let team = TeamSeason(season: "xc", year: 2031)

  private static func statements() -> [Statement] {
    [
      Statement(raw: RewardCheckJob().source.nextDue(job: "reward-check")),
      Statement(raw: RewardCheckJob().source.schedule),
      RewardCheckJob().lock(LockRequest(limit: 1, except: [1])), RewardCheckRows.changes([1]),
      RewardCheckRows.add([1]), RewardCheckRows.recordReached(team), RewardCheckRows.lockFree([team]),
      Statement(raw: ViewRollupJob().source.nextDue(job: "view-rollup")),
      Statement(raw: ViewRollupJob().source.schedule), ViewRollupJob().lock(LockRequest(limit: 1, except: [1])),
      ViewRollupRows.views([1]), ViewRollupRows.count([1]), ViewRollupRows.trim([1]),
      SeasonsStatus.statement,
    ]
  }

  @Test func `every statement of seasons fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements()) == [])
  }

  /// Points that runners earn, a second apart, in rows as the functions write them.
  private static func world(_ rows: Int64) async throws -> Team {
    let team = try await Team(at: "2032-01-01T00:00:00Z")
    for number in 1...50 { _ = try await team.runner("Runner \(number)") }
    try await team.session.script(
      """
      INSERT INTO seasons.earning (runner_id, activity_type, points, season, year, occurred_at, version)
        SELECT 1 + n % 50, 'LIFTING', 10, 'xc', 2031, '2031-06-02T12:00:00Z'::timestamptz + n * interval '1 second', 0
        FROM generate_series(1, \(rows)) AS n;
      INSERT INTO seasons.seasonal_total SELECT runner_id, 'xc', 2031, sum(points) FROM seasons.earning GROUP BY runner_id;
      UPDATE seasons.runner AS r SET points = t.points FROM seasons.seasonal_total AS t WHERE t.runner_id = r.id;
      INSERT INTO seasons.team_total SELECT 'xc', 2031, 0, 0, sum(points) FROM seasons.earning;
      """)
    try await team.reward(Int(rows) * 10 + 25, order: 1)
    for _ in 0..<5 { try await team.earn(1, "LIFTING") }
    // Catalogues that the daemon keeps fresh; autovacuum would come by in its own time.
    for table in ["earning", "seasonal_total", "runner", "team_total", "team_change", "reward", "threshold"] {
      try await team.session.execute("VACUUM (ANALYZE) seasons.\(raw: table)")
    }
    return team
  }

  @Test func `a season's progress reads a version's rows once, for any number of reached rewards`() async throws {
    var touched: [Int] = []
    for rewards in [1, 100] {
      let team = try await Self.world(5_000)
      for order in 2...rewards + 1 { try await team.reward(50_500 + order * 10, order: order) }
      for _ in 0..<600 { try await team.earn(1, "LIFTING") }
      #expect(try await team.progress().rewards.count { $0.isAchieved } == rewards + 1)
      touched.append(try await team.session.pagesTouched("SELECT seasons.progress('xc', '2031')"))
    }
    // Each reward has a few pages of its own; a version read for each would touch some 600.
    #expect(touched[1] <= touched[0] * 2 + 8 * 100, "\(touched)")
  }

  @Test func `a statement of seasons costs what has changed, not what was ever earned`() async throws {
    var touched: [[Int]] = []
    for rows in [2_000, 60_000] as [Int64] {
      let team = try await Self.world(rows)
      #expect(try await team.progress().rewards[0].isAchieved)
      touched.append([
        try await team.session.pagesTouched("SELECT seasons.progress('xc', '2031')"),
        try await team.session.pagesTouched(Team.earn(2, "LIFTING", nil)),
        try await team.session.pagesTouched("SELECT seasons.pride_leaderboard(10)"),
        try await team.session.pagesTouched(RewardCheckRows.recordReached(Self.team)),
      ])
      #expect(try await team.differences() == "[]")
    }
    for (few, many) in zip(touched[0], touched[1]) { #expect(many <= few * 2, "\(touched)") }
    print("pages of progress, earning, leaderboard, check: \(touched)")
  }

  @Test func `the status of seasons has their totals and rewards, and costs the same for any number of earnings`()
    async throws
  {
    var touched: [Int] = []
    for rows in [50, 5_000] as [Int64] {
      let team = try await Self.world(rows)
      try await team.reward(20, order: 2)
      try await team.reward(30, order: 1, "track", "2029")
      try await team.session.execute(
        "UPDATE seasons.reward SET achieved_date = settled.clock() WHERE point_threshold = 20")
      let shown = try await team.session.query(
        """
        SELECT concat_ws(' ', s ->> 'season', s ->> 'year', s ->> 'points', s ->> 'rewards', s ->> 'achieved',
          s ->> 'nextThreshold')
        FROM jsonb_array_elements((\(fragment: SeasonsStatus.statement)) -> 'seasons') WITH ORDINALITY AS l (s, n)
        ORDER BY n
        """
      ).decode(String.self)
      #expect(shown == ["xc 2031 \(rows * 10) 2 1 \(rows * 10 + 25)", "track 2029 0 1 0 30"])
      let waiting = try await team.session.query(
        "SELECT ((\(fragment: SeasonsStatus.statement)) ->> 'waitingChanges')::bigint"
      ).one(Int64.self)
      #expect(waiting == 8, "five earnings and three rewards")
      touched.append(try await team.session.pagesTouched(SeasonsStatus.statement))
    }
    #expect(touched[1] < touched[0] + 20, "\(touched)")
  }
}
