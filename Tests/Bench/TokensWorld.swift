import Foundation
import Postgres
import TestSupport

/// A database with connections, and a provider of this machine that answers after 5 ms.
struct TokensWorld: Sendable {
  let cluster: BenchCluster
  let name: String
  let owner: Connection
  let provider: FakeProvider
  private let directory: ScratchDirectory

  /// As many as the provider allows in any window.
  private static let calls = 1_000_000_000
  private static let callers = 8

  init(_ cluster: BenchCluster, _ name: String) async throws {
    (self.cluster, self.name) = (cluster, name)
    try await cluster.make(name)
    owner = try await cluster.connect(name)
    provider = try await FakeProvider()
    directory = try ScratchDirectory()
    try await provider.configure(ProviderSettings(limits: .init(Self.calls, Self.calls), delayMs: 5))
    // Athletes themselves have no part in it.
    try await owner.execute("ALTER TABLE strava.connection DROP CONSTRAINT connection_athlete")
    try await owner.execute(
      "SELECT settled.set('strava.limit_15min', \("\(Self.calls)")), settled.set('strava.limit_day', \("\(Self.calls)"))"
    )
  }

  func daemon() async throws -> SettledProcess {
    let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    return try await cluster.daemon(
      on: name, seenBy: owner,
      [
        "SETTLED_STATE_DIRECTORY": directory.path, "SETTLED_STRAVA_OAUTH_BASE": provider.url,
        "SETTLED_STRAVA_API_BASE": provider.url + "/api/v3",
        "SETTLED_STRAVA_CLIENT_ID": provider.clientId, "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
        "SETTLED_TOKEN_KEY": key,
      ])
  }

  func end(_ daemon: SettledProcess) async throws {
    try await daemon.end()
    provider.kill()
    await owner.close()
  }

  /// Seconds from the commit of what makes connections due to the end of the last call.
  func time(_ act: () async throws -> Void) async throws -> Double {
    try await act()
    let start = ContinuousClock.now
    try await untilTrue("the end of all calls", within: .seconds(600)) {
      try await owner.query(
        "SELECT NOT EXISTS (SELECT FROM strava.connection WHERE next_call_at <= clock_timestamp())"
      ).one(Bool.self)
    }
    return start.duration(to: .now) / .seconds(1)
  }

  /// So many athletes have come back with codes: all of them are there at one instant.
  func connect(_ count: Int) async throws {
    var codes: [String] = []
    for start in stride(from: 1, through: count, by: Self.callers) {
      codes += try await withThrowingTaskGroup(of: String.self) { [provider] group in
        for athlete in start..<min(start + Self.callers, count + 1) {
          group.addTask { try await provider.authorize(Int64(athlete)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    try await owner.execute(
      """
      WITH code AS (SELECT * FROM unnest(\(codes)) WITH ORDINALITY AS c (code, athlete)), connection AS (
        INSERT INTO strava.connection (athlete_id, status, next_call_at, changed_at)
        SELECT athlete, 'connecting', clock_timestamp(), clock_timestamp() FROM code RETURNING athlete_id
      )
      INSERT INTO strava.secret (kind, athlete_id, number, secret, written_at)
      SELECT 'code', c.athlete_id, 1, convert_to(code, 'UTF8'), clock_timestamp()
      FROM connection AS c JOIN code ON code.athlete = c.athlete_id
      """)
    // Autovacuum comes by within a minute only; nobody connects ten thousand at once to a database without statistics.
    try await owner.execute("ANALYZE strava.connection, strava.secret")
  }

  /// The provider's time comes to half an hour before the end of all tokens, and every connection that lives is due.
  func makeDue() async throws {
    try await provider.setClock(Int64(Date.now.timeIntervalSince1970) + 5 * 3600 + 1800, runs: true)
    try await owner.execute(
      """
      UPDATE strava.connection SET next_call_at = clock_timestamp(), refreshed_at = NULL
      WHERE provider_athlete_id IS NOT NULL
      """)
  }

  /// Connections with tokens that nobody can use, due between one and six hours from now; a tenth of them are
  /// of athletes whose races begin later.
  func plant(_ count: Int) async throws {
    try await owner.script(
      """
      INSERT INTO strava.connection (athlete_id, status, expires_at, next_call_at, refreshed_at, is_in_races, changed_at)
        SELECT 100000 + n, 'active', t + interval '30 minutes', t, now() - interval '1 hour', n % 10 = 0, now()
        FROM (SELECT n, now() + interval '1 hour' + random() * interval '5 hours' AS t
          FROM generate_series(1, \(count)) AS n) AS x;
      INSERT INTO strava.secret (kind, athlete_id, number, key_id, secret, written_at)
        SELECT 'refresh', c.athlete_id, 1, k.key_id, decode(repeat(md5(c.athlete_id::text), 4), 'hex'), now()
        FROM strava.connection AS c, strava.sealing_key AS k WHERE c.provider_athlete_id IS NULL;
      INSERT INTO strava.access (athlete_id, token)
        SELECT athlete_id, 'at_' || md5(athlete_id::text) FROM strava.connection WHERE provider_athlete_id IS NULL;
      INSERT INTO strava.race_period (athlete_id, starts_at, ends_at)
        SELECT athlete_id, now() + interval '7 hours', now() + interval '1 day' FROM strava.connection WHERE is_in_races;
      """)
    try await owner.execute("VACUUM (ANALYZE)")
  }
}
