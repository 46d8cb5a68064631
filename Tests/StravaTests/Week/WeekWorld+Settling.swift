import Postgres
import TestSupport

extension WeekWorld {
  private static let open: Statement = """
    SELECT (SELECT count(*) FROM strava.connection
        WHERE status IN ('connecting', 'active') AND next_call_at <= settled.clock()),
      (SELECT count(*) FROM settled.lease WHERE job = 'token-refresh')
    """

  /// Waits until nothing is due, no call is under way, and no living node has a spooled reply. Back-off is real
  /// time: it is ended as often as it begins.
  func settle() async throws {
    do {
      try await untilTrue("a calm", within: .seconds(100)) {
        let (due, leases) = try await self.ask(Self.open).one(Int64.self, Int64.self)
        if due == 0, leases == 0, self.livingSpools.isEmpty { return true }
        try await self.inherit()
        try await self.endBackoff()
        return false
      }
    } catch let limit as TimeLimitError {
      throw TimeLimitError(
        description: "\(limit): \(try await troubles()), spooled \(livingSpools)\n\(logs.joined(separator: "\n"))")
    }
  }

  /// Waits until nothing is under way and nothing more comes to the provider, because it is in trouble.
  func settleInTrouble() async throws {
    try await endBackoff()
    let start = ContinuousClock.now
    var (calls, since) = (-1, start)
    while start.duration(to: .now) < .seconds(90) {
      let (due, leases) = try await ask(Self.open).one(Int64.self, Int64.self)
      if due == 0, leases == 0 { return }
      try await inherit()
      let now = try await provider.report().calls
      if now != calls || leases > 0 { (calls, since) = (now, .now) }
      if since.duration(to: .now) > .milliseconds(200) { return }
      try await pauseBetweenLooks()
    }
    throw TimeLimitError(description: "calls did not end: \(try await troubles())")
  }

  /// How many calls will be due then.
  func due(at instant: Int64) async throws -> Int {
    let count = try await ask(
      """
      SELECT count(*) FROM strava.connection
      WHERE status IN ('connecting', 'active') AND next_call_at <= to_timestamp(\(Double(instant)))
      """
    ).one(Int64.self)
    return Int(count)
  }

  /// Waits, while nobody is let in, until each call has been answered, or for so long.
  func untilReplied(within limit: Duration) async throws {
    let start = ContinuousClock.now
    try await untilTrue("replies") {
      let leases = try await self.ask(Self.open).one(Int64.self, Int64.self).1
      return self.livingSpools.count >= Int(leases) || start.duration(to: .now) > limit
    }
  }

  private func endBackoff() async throws {
    _ = try await ask(
      """
      WITH ended AS (UPDATE settled.failure SET next_attempt_at = last_at
        WHERE job = 'token-refresh' AND next_attempt_at > clock_timestamp() RETURNING 1)
      SELECT pg_notify('settled', '') FROM ended LIMIT 1
      """)
  }

  /// The rows of failures, problems and leases, and those that are due.
  func troubles() async throws -> [String] {
    try await ask(
      """
      SELECT job || ' ' || key || ': ' || error FROM settled.failure
      UNION ALL SELECT name || ': ' || problem FROM settled.problem
      UNION ALL SELECT 'lease ' || key || ' of ' || owner FROM settled.lease
      UNION ALL SELECT 'due ' || athlete_id || ' ' || status FROM strava.connection WHERE next_call_at <= settled.clock()
      """
    ).decode(String.self)
  }
}
