@testable import Engine
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Lists of upcoming races")
struct UpcomingTests {
  /// Races a minute apart: of each status a quarter, those that have begun overdue; activities that wait; open reviews.
  private static func world(_ count: Int) async throws -> Course {
    let course = try await Course()
    let athlete = try await course.athlete()
    try await course.session.script(
      """
      SET session_replication_role = replica;
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, next_check_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, created_at)
      SELECT 'top_speed', 'daily', 'senior_men', at, at + interval '1 day', at + interval '25 hours',
        at + interval '25 hours', 100, 1, '{75,20,5}', '3 hours', '72 hours',
        (ARRAY['upcoming', 'active', 'ended', 'settled'])[g % 4 + 1], at
      FROM generate_series(1, \(count)) AS g, LATERAL (
        SELECT settled.clock() - interval '60 days' + g * interval '1 minute') AS t(at);
      INSERT INTO racing.activity (athlete_id, strava_id, name, activity_type, started_at, elapsed_time, moving_time,
        distance, content_hash, imported_at, status, flag_count, flagged_at)
      SELECT \(athlete), g, 'Paddle', 'Kayaking', settled.clock(), 60, 60, 100, '',
        settled.clock() - g * interval '1 second', CASE WHEN g % 2 = 0 THEN 'under_review' ELSE 'pending' END, 3 - g % 2,
        settled.clock() FROM generate_series(1, \(count)) AS g;
      INSERT INTO racing.review (activity_id, opened_at)
      SELECT id, settled.clock() - id * interval '1 second' FROM racing.activity WHERE status = 'under_review';
      INSERT INTO settled.failure (job, key, attempts, first_at, last_at, next_attempt_at, quarantined, error)
      SELECT 'race-settlement', g::text, 5, now, now, now, true, 'planted'
      FROM generate_series(1, 40) AS g, clock_timestamp() AS now;
      SET session_replication_role = DEFAULT;
      ANALYZE racing.race, racing.activity, racing.review, settled.failure;
      """)
    return course
  }

  @Test func `upcoming, overdue and failed races are read along indexes, at any number`()
    async throws
  {
    var touched: [[Int]] = []
    let what = ["lifecycle", "settlement", "validation", "escalation", "overdue", "done"]
    for size in [8000, 40_000] {
      let course = try await Self.world(size)
      let statements = [
        LifecycleJob().source.soonest(100), SettlementJob().source.soonest(100), ValidationJob().source.soonest(100),
        EscalationJob().source.soonest(100), RacingChecks.overdue,
        FailureStatements.pruneResolvedFailures(
          job: "race-settlement", schedule: SettlementJob().source.schedule, key: Int64.self),
      ]
      var costs: [Int] = []
      for statement in statements { costs.append(try await course.session.pagesTouched(statement)) }
      touched.append(costs)
    }
    for (index, name) in what.enumerated() {
      #expect(touched[1][index] < touched[0][index] * 3 / 2 + 60, "\(name): \(touched.map { $0[index] })")
    }
  }

  @Test func `upcoming races are listed completely when few, soonest first`() async throws {
    let course = try await Self.world(40)
    for job in [
      LifecycleJob().source.schedule, SettlementJob().source.schedule, ValidationJob().source.schedule,
      EscalationJob().source.schedule,
    ] {
      let count = try await course.session.query("SELECT count(*) FROM (\(raw: job)) AS s").one(Int64.self)
      #expect(count > 0)
    }
    func same(_ all: String, _ soonest: Statement) async throws -> Bool {
      try await course.session.query(
        """
        SELECT (SELECT array_agg(ROW(s.at, s.key::text)::text ORDER BY s.at, s.key::text) FROM (\(raw: all)) AS s(at, key))
          = (SELECT array_agg(ROW(s.*)::text ORDER BY s.at, s.key) FROM (\(fragment: soonest)) AS s(at, key))
        """
      ).one(Bool.self)
    }
    #expect(try await same(EscalationJob().source.schedule, EscalationJob().source.soonest(1000)))
    #expect(try await same(LifecycleJob().source.schedule, LifecycleJob().source.soonest(1000)))
    #expect(try await same(SettlementJob().source.schedule, SettlementJob().source.soonest(1000)))
    let at = try await course.session.query(SettlementJob().source.soonest(7)).decode(Timestamp.self, String.self).map(
      \.0)
    #expect(at.count == 7 && at == at.sorted())
  }
}
