import Engine
import Postgres
import TestSupport
import Testing

@testable import Strava

@Suite("The cost of finding due connections", .timeLimit(.minutes(3))) struct EffortTests {
  /// Of all but twenty, who are due; half of them have entered races that run, none, or some that have not begun.
  private static let worlds = [
    "half of them race": "now() - interval '1 hour', now() + interval '1 day'",
    "half of them will race": "now() + interval '1 day', now() + interval '2 days'",
    "half of them have raced": "now() - interval '2 days', now() - interval '1 day'",
  ]

  @Test(arguments: worlds.keys.sorted())
  func `the cost of finding due connections does not depend on their number or on races`(name: String) async throws {
    let period = try #require(Self.worlds[name])
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    // Athletes themselves have no part in it.
    try await owner.execute("ALTER TABLE strava.connection DROP CONSTRAINT connection_athlete")
    try await Self.plant(0..<4000, period, owner)
    try await owner.execute("UPDATE strava.connection SET next_call_at = now() WHERE athlete_id < 20")
    let few = try await Self.pages(owner)
    try await Self.plant(4000..<80_000, period, owner)
    let many = try await Self.pages(owner)
    print("\(name): look \(few.look) and \(many.look), claim \(few.claim) and \(many.claim) pages")
    #expect(many.look <= few.look + 20)
    #expect(many.claim <= few.claim + 60)
  }

  @Test func `the cost of finding due codes does not depend on their number or on old statistics`()
    async throws
  {
    let database = try await SettledDatabase.real()
    let owner = try await database.connect()
    try await owner.script(
      """
      ALTER TABLE strava.connection DROP CONSTRAINT connection_athlete;
      INSERT INTO strava.connection (athlete_id, status, next_call_at, changed_at)
        SELECT n, 'connecting', now(), now() FROM generate_series(1, 8000) AS n;
      INSERT INTO strava.secret (kind, athlete_id, number, secret, written_at)
        SELECT 'code', n, 1, '\\x00', now() FROM generate_series(1, 8000) AS n;
      """)
    try await owner.execute("ANALYZE strava.connection, strava.secret")
    try await owner.execute("UPDATE strava.secret SET key_id = 'key'")
    #expect(try await Self.pages(owner).look < 50)
    await owner.close()
  }

  private static func plant(_ athletes: Range<Int>, _ period: String, _ owner: Connection) async throws {
    try await owner.script(
      """
      INSERT INTO strava.connection (athlete_id, status, expires_at, next_call_at, is_in_races, changed_at)
        SELECT n, 'active', t + interval '30 minutes', t, n % 2 = 0, now()
        FROM (SELECT n, now() + interval '1 hour' + n * interval '0.1 seconds' AS t
          FROM generate_series(\(athletes.lowerBound), \(athletes.upperBound - 1)) AS n) AS x;
      INSERT INTO strava.race_period (athlete_id, starts_at, ends_at)
        SELECT athlete_id, \(period) FROM strava.connection WHERE is_in_races ON CONFLICT DO NOTHING;
      """)
    try await owner.execute("VACUUM (ANALYZE) strava.connection")
    try await owner.execute("VACUUM (ANALYZE) strava.race_period")
  }

  /// The pages that a poll and a claim of eight read.
  private static func pages(_ owner: Connection) async throws -> (look: Int, claim: Int) {
    let options = ProviderOptions(
      oauthBase: "http://127.0.0.1:1", apiBase: "", clientID: "1", clientSecret: "x", proxy: nil, key: "", oldKeys: [],
      stateDirectory: "/nowhere")
    let sealer = Sealer(options)
    let spool = Spool(in: "/nowhere", sealer, time: TestTime.host, observe: { _ in })
    let provider = HTTPProvider(options, time: TestTime.host)
    let job = TokenRefreshJob(provider: provider, sealer: sealer, spool: spool, breaker: Breaker())
    let look = try await owner.pagesTouched(Statement(raw: job.source.nextDue(job: job.name, leased: true)))
    let request = LockRequest<Int64>(limit: 8, except: [], leased: true)
    return (look, try await owner.pagesTouched(job.source.lock(request, job: job.name)))
  }
}
