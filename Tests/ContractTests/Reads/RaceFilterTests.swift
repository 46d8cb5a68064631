import Postgres
import TestSupport
import Testing

@Suite("A filter of racing.races with few matches") struct RaceFilterTests {
  /// Settled daily races, and at their end five that are active, five of another type, category and duration each.
  private static func world(_ count: Int) async throws -> Course {
    let course = try await Course()
    try await course.session.script(
      """
      INSERT INTO racing.race (type, duration, category, starts_at, ends_at, due_at, next_check_at, entry_fee_pence,
        platform_fee_percent, prize_shares, entry_cutoff, review_hold, status, created_at)
      SELECT CASE WHEN rest BETWEEN 6 AND 10 THEN 'fastest_5km' ELSE 'top_speed' END,
        CASE WHEN rest BETWEEN 11 AND 15 THEN 'monthly' ELSE 'daily' END,
        CASE WHEN rest BETWEEN 11 AND 20 THEN 'men_u23' ELSE 'senior_men' END,
        at, at + interval '1 day', at + interval '25 hours', at + interval '25 hours', 100, 1, '{75,20,5}', '3 hours',
        '72 hours', CASE WHEN rest <= 5 THEN 'active' ELSE 'settled' END, at
      FROM generate_series(1, \(count)) AS g, LATERAL (
        SELECT \(count) - g + 1 AS left, settled.clock() - (\(count) - g) * interval '1 minute') AS t(rest, at);
      ANALYZE racing.race;
      """)
    return course
  }

  private static let filters = [
    #"{"status": "active"}"#, #"{"type": "fastest_5km"}"#, #"{"category": "men_u23", "duration": "monthly"}"#,
    #"{"category": "men_u23", "status": "settled"}"#, #"{"status": "cancelled"}"#,
    #"{"type": "top_speed", "duration": "monthly", "category": "men_u23", "status": "settled"}"#,
  ]

  @Test func `a filter of racing.races with few matches costs the same among many races`() async throws {
    var touched: [[Int]] = []
    for size in [2000, 20_000] {
      let course = try await Self.world(size)
      var costs: [Int] = []
      for filter in Self.filters {
        // More calls than a generic plan waits for.
        for _ in 0..<8 { try await course.session.run("SELECT racing.races('\(filter)')") }
        costs.append(try await course.session.pagesTouched("SELECT racing.races(\(filter)::text::jsonb)"))
      }
      touched.append(costs)
    }
    for (index, filter) in Self.filters.enumerated() {
      #expect(touched[1][index] < touched[0][index] + 50, "\(filter): \(touched[0][index]), \(touched[1][index])")
    }
  }
}
