import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport

/// The events of connections in a long life.
extension SecretLife {
  /// An athlete who has come back from the provider with a code.
  @discardableResult
  func connect(as account: Int64? = nil, code: String? = nil) async throws -> Int64 {
    let athlete = try await ask(as: "secret_app") {
      try await $0.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
    }
    try await connect(athlete, as: account ?? 1000 + athlete, code: code)
    return athlete
  }

  func connect(_ athlete: Int64, as account: Int64, code given: String? = nil) async throws {
    let issued = try await provider.authorize(account)
    let (code, scopes) = (given ?? issued, FakeProvider.scopes)
    try await ask(as: "secret_app") {
      try await $0.execute("SELECT racing.connect_strava(\(athlete), \(code), \(scopes))")
    }
  }

  func status(_ athlete: Int64) async throws -> String {
    try await ask {
      try await $0.query(
        "SELECT status || coalesce(' ' || reason, '') FROM strava.connection WHERE athlete_id = \(athlete)"
      ).one(String.self)
    }
  }

  func until(_ athlete: Int64, is wanted: String) async throws {
    do {
      try await untilTrue("\(athlete) is \(wanted)") {
        try await self.endBackoff()
        return try await self.status(athlete) == wanted
      }
    } catch let limit as TimeLimitError {
      throw TimeLimitError(description: "\(limit); it is \(try await status(athlete))")
    }
  }

  /// Nobody waits for the pauses after failures.
  func endBackoff() async throws {
    try await run("UPDATE settled.failure SET next_attempt_at = last_at WHERE next_attempt_at > last_at")
  }

  /// Lets something go wrong with refreshes and with an exchange, then makes everybody whole again.
  func suffer(_ trouble: ProviderSettings, until isSeen: @escaping @Sendable (ProviderReport) -> Bool) async throws {
    try await provider.configure(trouble)
    try await connect()
    try await advance()
    try await untilTrue("the trouble", within: .seconds(120)) {
      try await self.endBackoff()
      return isSeen(try await self.provider.report())
    }
    try await addTables()
    try await provider.configure(
      ProviderSettings(faults: [:], away: false, deniesClient: false, tooMany: false))
    // A window that the provider has ended is over a quarter of an hour later.
    try await advance(by: 900)
    try await recover()
  }

  /// An athlete who needs another grant connects again.
  private func recover() async throws {
    do {
      try await untilTrue("rest after the trouble", within: .seconds(120)) {
        try await self.endBackoff()
        return try await self.due() == []
      }
    } catch let limit as TimeLimitError {
      throw TimeLimitError(description: "\(limit): \(try await due())")
    }
    let broken = try await ask {
      try await $0.query(
        "SELECT athlete_id FROM strava.connection WHERE status = 'needs_reauth' AND reason IN ('grant', 'lost-reply')"
      ).decode(Int64.self)
    }
    for athlete in broken { try await connect(athlete, as: 1000 + athlete) }
    // Codes of one athlete are exchanged a minute apart, and some were refused just now.
    if !broken.isEmpty { try await advance(by: 60) }
    for athlete in broken { try await until(athlete, is: "active") }
  }

  /// The connections that wait for a call, with their errors: not those that were asked for within the last 15 minutes.
  func due() async throws -> [String] {
    try await ask {
      try await $0.query(
        """
        SELECT concat_ws(' ', c.athlete_id, c.status, c.next_call_at, c.refreshed_at, c.expires_at, settled.clock(),
          f.attempts, f.error, f.next_attempt_at, l.owner, (SELECT p.open_class FROM strava.provider AS p))
        FROM strava.connection AS c
        LEFT JOIN settled.failure AS f ON f.job = 'token-refresh' AND f.key = c.athlete_id::text
        LEFT JOIN settled.lease AS l ON l.job = 'token-refresh' AND l.key = c.athlete_id::text
        WHERE c.status <> 'needs_reauth' AND c.next_call_at <= settled.clock()
          AND (c.refreshed_at IS NULL OR settled.clock() >= c.refreshed_at + interval '15 minutes')
        """
      ).decode(String.self)
    }
  }

  /// The database goes while a reply is on its way: it is kept on disk, sealed, and the daemon ends before it is back.
  func spool(_ daemon: SettledProcess, name: String) async throws {
    let before = try await provider.report().refreshes
    try await provider.configure(ProviderSettings(delayMs: 3000))
    try await advance()
    try await untilTrue("a refresh under way") { try await self.provider.report().refreshes > before }
    try await cluster.pause()
    let count = try await provider.report().refreshes - before
    try await untilTrue("\(count) spooled replies") {
      let files = self.spooled(name)
      return files.count == count && files.allSatisfy { FileManager.default.contents(atPath: $0)?.last == 10 }
    }
    daemon.killHard()
    _ = try await daemon.exit()
    try haystack.add(files: directory.path + "/\(name)/token-spool")
    try await provider.configure(ProviderSettings(delayMs: 0))
    try await cluster.resume()
  }

  /// The files of a daemon's spool.
  func spooled(_ name: String) -> [String] {
    let spool = "\(directory.path)/\(name)/token-spool"
    return ((try? FileManager.default.contentsOfDirectory(atPath: spool)) ?? []).map { "\(spool)/\($0)" }
  }
}
