import Postgres
import TestSupport
import Testing

/// The end of a mixed campaign: all that is due is done, nothing is lost and nothing is doubled.
struct MixedEnd: Sendable {
  let world: MixedWorld
  let apps: MixedApps

  /// What is due and not done yet.
  private static let open: Statement = """
    SELECT 'race ' || id || ' ' || status FROM racing.race
      WHERE status NOT IN ('settled', 'cancelled') AND due_at <= settled.clock() OR correction_due_at IS NOT NULL
    UNION ALL SELECT 'activity ' || id || ' ' || status FROM racing.activity WHERE status = 'pending'
    UNION ALL SELECT 'event ' || topic FROM settled.event_pending
    UNION ALL SELECT 'day of ' || name FROM checkins.zone WHERE next_at <= settled.clock()
    UNION ALL SELECT 'points ' || id FROM seasons.team_change
    UNION ALL SELECT 'view ' || id FROM seasons.uncounted_view
    UNION ALL SELECT 'achievements of ' || id FROM achievements.person WHERE due_at IS NOT NULL
    UNION ALL SELECT 'unlock ' || id FROM achievements.uncounted
    UNION ALL SELECT 'tick ' || schedule || ' ' || instant || ' ' || status FROM settled.occurrence WHERE finished_at IS NULL
    UNION ALL SELECT 'token of ' || athlete_id FROM strava.connection
      WHERE status IN ('connecting', 'active') AND next_call_at <= settled.clock()
    UNION ALL SELECT 'import of ' || athlete_id FROM strava.import_request WHERE next_call_at <= settled.clock()
    UNION ALL SELECT 'found ' || activity_id FROM strava.found_activity
    UNION ALL SELECT 'lease ' || job || ' ' || key || ' of ' || owner FROM settled.lease
    """

  func settle() async throws {
    try await world.provider.configure(ProviderSettings(faults: [:]))
    try await world.revive()
    try await apps.finish()
    try await untilTrue("the daemons, \(world.seed)") { await world.steady?.errors.contains("ready") == true }
    // The clock stands from now on, after the last race that fetches activities.
    try await world.advance(2 * 3600, running: false)
    do {
      try await untilTrue("the end of all that is due", within: .seconds(300)) {
        try await world.revive()
        try await approve()
        try await endBackoff()
        return try await world.ask(Self.open).decode(String.self).isEmpty
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

  /// Back-off of calls abroad is real time.
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
    #expect(try await failures() == [], "\(seed)")
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

  /// What is counted twice over, beside the books: ticks and their effects, reports and counters, unlocks, views.
  private static let differences: Statement = """
    SELECT format('%s: %s ran, %s effects', s.name, s.ran, (SELECT count(*) FROM ops.effect AS e WHERE e.name = s.name))
    FROM (SELECT schedule AS name, count(*) FILTER (WHERE status = 'ran') AS ran FROM settled.occurrence
      WHERE schedule LIKE 'each-%' GROUP BY schedule) AS s
    WHERE s.ran <> (SELECT count(*) FROM ops.effect AS e WHERE e.name = s.name) OR s.ran = 0
    UNION ALL
    SELECT format('reader %s: counter %s, reports %s', c.user_id, c.value, r.value)
    FROM achievements.counter AS c JOIN (SELECT user_id, sum(value) AS value FROM achievements.report GROUP BY user_id) AS r
      USING (user_id)
    WHERE c.metric = 'books_read' AND c.value <> r.value
    UNION ALL
    SELECT format('achievement %s: total %s, unlocks %s', t.achievement_id, t.unlocks, u.number)
    FROM achievements.total AS t FULL JOIN (SELECT achievement_id, count(*) AS number FROM achievements.unlock
      GROUP BY achievement_id) AS u USING (achievement_id)
    WHERE t.unlocks IS DISTINCT FROM u.number
    UNION ALL
    SELECT format('unlock %s of %s: %s events', u.achievement_id, u.user_id, e.number)
    FROM achievements.unlock AS u LEFT JOIN (SELECT key, payload->>'achievementId' AS id, count(*) AS number
      FROM settled.event WHERE topic = 'achievement.unlocked' GROUP BY 1, 2) AS e
      ON e.key = u.user_id::text AND e.id = u.achievement_id::text
    WHERE e.number IS DISTINCT FROM 1
    UNION ALL
    SELECT format('talk %s: total %s, views %s', t.talk_id, t.views, v.number)
    FROM seasons.view_total AS t JOIN (SELECT talk_id, count(*) AS number FROM seasons.view GROUP BY talk_id) AS v
      USING (talk_id)
    WHERE t.views <> v.number
    UNION ALL
    SELECT format('%s of %s: closed %s times', zone, date, count(*)) FROM checkins.day GROUP BY zone, date HAVING count(*) > 1
    """
}
