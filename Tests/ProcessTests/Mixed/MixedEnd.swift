import Postgres
import TestSupport
import Testing

/// The end of a mixed campaign: all that is due is done, nothing is lost and nothing is doubled.
struct MixedEnd: Sendable {
  let world: MixedWorld
  let apps: MixedApps

  func settle() async throws {
    try await world.provider.configure(ProviderSettings(faults: [:]))
    try await world.revive()
    try await apps.finish()
    try await untilTrue("the daemons, \(world.seed)") { await world.steady?.errors.contains("ready") == true }
    try await untilTrue("the end of all that is fetched, \(world.seed)", within: .seconds(180)) {
      try await world.revive()
      try await endBackoff()
      return try await world.number(Self.fetching) == 0
    }
    // The clock stands from now on, after the last race that fetches activities.
    try await world.advance(2 * 3600, running: false)
    do {
      try await untilTrue("the end of all that is due", within: .seconds(300)) {
        try await world.revive()
        try await approve()
        try await endBackoff()
        // Failures of what another node has done meanwhile go with the next heartbeat.
        let open = try await world.ask(Self.open).decode(String.self)
        return open.isEmpty ? try await failures().isEmpty : false
      }
    } catch let limit as TimeLimitError {
      let open = try await world.ask(Self.open).decode(String.self)
      let failures = try await failures()
      throw TimeLimitError(
        description: """
          \(limit), \(world.seed): \(open.count) open: \(open.prefix(40)) \(failures)
          \(world.steady?.errors.text.suffix(4000) ?? "")
          """)
    }
  }

  /// The reviewer has no questions left: what is held is decided.
  private func approve() async throws {
    try await world.ask(
      """
      SELECT count(*) FROM (SELECT id FROM racing.activity WHERE status = 'under_review' ORDER BY id) AS a,
        LATERAL racing.review_activity(a.id, 'approve', 'the end', 'seen') AS r
      """)
  }

  /// The backoff of external calls is real time.
  private func endBackoff() async throws {
    try await world.ask(
      """
      WITH ended AS (UPDATE settled.failure SET next_attempt_at = last_at
        WHERE next_attempt_at > clock_timestamp() AND NOT quarantined RETURNING 1)
      SELECT pg_notify('settled', '') FROM ended LIMIT 1
      """)
  }

  private func failures() async throws -> [String] {
    try await world.ask("SELECT concat_ws(' ', job, key, attempts, quarantined, error) FROM settled.failure")
      .decode(String.self)
  }

  private func command(_ words: [String]) async throws -> Finished {
    let steady = try #require(world.steady)
    for _ in 0..<100 {
      let done = try await steady.settlectl(words)
      if done.exit != .code(69) && done.exit != .code(75) { return done }
      try await pauseBetweenLooks()
    }
    return try await steady.settlectl(words)
  }

  func judge() async throws {
    let owner = try await world.database.connect()
    let seed = world.seed
    try await Books.check(owner, seed)
    #expect(apps.errors.isEmpty, "\(apps.errors.prefix(20)), \(seed)")
    #expect(world.troubles == [], "\(seed)")
    let broken = try await apps.broken(owner)
    #expect(broken.isEmpty, "\(broken.prefix(20)), \(seed)")
    let failed = try await failures()
    #expect(failed.isEmpty, "\(failed.prefix(20)), \(seed)")
    for words in [["audit", "schedule"], ["ledger", "verify"], ["seasons", "verify"]] {
      let checked = try await command(words)
      #expect(checked.exit == .code(0), "\(words), \(seed): \(checked.output)\(checked.errors)")
    }
    let differences = try await owner.query(Self.differences).decode(String.self)
    #expect(differences.isEmpty, "\(differences.prefix(20)), \(seed)")
    let fetched = try await owner.query("SELECT strava_id FROM racing.activity WHERE strava_id = ANY(\(apps.planted))")
      .decode(Int64.self)
    #expect(Set(fetched) == Set(apps.planted), "\(Set(apps.planted).subtracting(fetched)), \(seed)")
    print(try await Oracle.run("check_ins.py", ["closed", world.database.url(.owner)]), terminator: "")
    await owner.close()
  }
}
