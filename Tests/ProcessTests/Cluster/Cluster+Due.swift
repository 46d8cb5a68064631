import Postgres
import TestSupport

extension Cluster {
  /// Waits until so many of these races are settled.
  func untilSettled(_ races: [Int64], _ count: Int, _ when: String) async throws {
    try await untilTrue("\(count) settled races \(when)", within: .seconds(180)) {
      try await ask(
        "SELECT count(*) >= \(Int64(count)) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'", Bool.self
      )
    }
  }

  /// Waits until all that is due is done.
  func untilNothingIsDue(_ seed: String) async throws {
    let open: Statement = """
      SELECT array_agg(what) FROM (
        SELECT 'race ' || id || ' ' || status AS what FROM racing.race WHERE status <> 'settled' AND due_at <= settled.clock()
        UNION ALL SELECT 'activity ' || id FROM racing.activity WHERE status = 'pending'
        UNION ALL SELECT 'event ' || topic FROM settled.event_pending
        UNION ALL SELECT 'tick ' || schedule || ' ' || instant || ' ' || status FROM settled.occurrence
          WHERE finished_at IS NULL AND instant <= settled.clock()
      ) AS o
      """
    do {
      try await untilTrue("the end of all that is due, \(seed)", within: .seconds(240)) {
        try await ask(open, [String]?.self) == nil
      }
    } catch let limit as TimeLimitError {
      let left = try await ask(open, [String]?.self) ?? []
      throw TimeLimitError(description: "\(limit): \(left.count) open: \(left.prefix(40))")
    }
  }
}
