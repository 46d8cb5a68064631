import Crypto
import Foundation
import Gateway
import HostProcess
import Postgres
import TestSupport

/// A database with races, readers and people who check in, and a gateway process over it.
struct GatewayWorld: Sendable {
  static let database = "gateway"
  static let port = 18_080
  static let publicURL = "http://127.0.0.1:\(port)"
  /// How many athletes can still enter the race, and how many people can still check in, where calls write: each does
  /// it once.
  static let people: Int64 = 60_000

  let cluster: BenchCluster
  let owner: Connection
  let process: SettledProcess
  /// A race with a leaderboard.
  let ended: Int64
  /// The first of the races that are open; the others follow it.
  let open: Int64
  /// So many are open: entries of one race come one after the other, whoever asks.
  static let openRaces: Int64 = 64
  private let tokens: TokenIssuer
  private let credentials: ScratchDirectory

  /// - Parameters:
  ///   - athletes: how many share the 96 races.
  ///   - people: how many can enter a race or check in.
  init(_ cluster: BenchCluster, athletes: Int = 100, people: Int64 = Self.people) async throws {
    self.cluster = cluster
    try await cluster.make(Self.database)
    owner = try await cluster.connect(Self.database)
    ended = try await Herd(races: 96, entries: 100, athletes: athletes).write(owner)[0]
    open = try await owner.query(
      """
      SELECT min(racing.create_race('top_speed', 'daily', 'masters_women', clock_timestamp() - n * interval '1 minute',
        clock_timestamp() + interval '23 hours')) FROM generate_series(1, \(Self.openRaces)) AS n
      """
    ).one(Int64.self)
    try await Self.fill(owner, people: people)
    let pem = P256.Signing.PrivateKey().pemRepresentation
    tokens = TokenIssuer(try SigningKey(pem: pem), publicURL: Self.publicURL)
    credentials = try ScratchDirectory()
    try pem.write(toFile: credentials.path + "/gateway-signing-key", atomically: true, encoding: .utf8)
    process = try SettledProcess(
      ["run"],
      [
        "SETTLED_GATEWAY_DATABASE_URL": cluster.url(Self.database, user: "settled_gateway"),
        "SETTLED_GATEWAY_PUBLIC_URL": Self.publicURL, "SETTLED_GATEWAY_LISTEN": "127.0.0.1:\(Self.port)",
        "SETTLED_GATEWAY_HEALTH_SOCKET": credentials.path + "/health.sock",
        "SETTLED_GATEWAY_LOG_LEVEL": "warning", "CREDENTIALS_DIRECTORY": credentials.path,
        "SETTLED_GATEWAY_MAX_CONNECTIONS": "2000",
      ], program: SettledProcess.built("settled-gateway"))
    let process = process
    try await untilTrue("the gateway's answer") {
      guard process.isRunning else { throw BenchError("the gateway ended: \(process.errors.text)") }
      return (try? await LoopbackClient(port: Self.port).call("/races/1"))?.status == 200
    }
  }

  /// Athletes with ten pounds and a connection, people who have been introduced, a reader with achievements.
  private static func fill(_ owner: Connection, people: Int64) async throws {
    for first in stride(from: 1, through: people, by: 5000) {
      _ = try await owner.query(
        """
        SELECT count(racing.deposit(racing.create_athlete('Racer ' || n, date '1990-01-01', 'female'), 1000, 'first')),
          count(checkins.onboard('person' || n, 'Europe/London'))
        FROM generate_series(\(first), \(min(first + 4999, people))) AS n
        """)
    }
    try await owner.script(
      """
      INSERT INTO strava.connection (athlete_id, status, missing_scopes, changed_at, provider_athlete_id)
        SELECT id, 'active', '{}', clock_timestamp(), 1000000 + id FROM racing.athlete WHERE display_name LIKE 'Racer %';
      SELECT achievements.create_user(7, 'Ann');
      SELECT achievements.define(jsonb_build_object('slug', 'a' || n, 'name', 'A ' || n, 'description', 'Read',
        'icon', '{"type": "symbol", "color": "#FFFFFF", "symbol": "book"}'::jsonb, 'category', 'career',
        'unlock_requirements', jsonb_build_object('metric', 'books_read', 'value', n), 'display_order', n))
        FROM generate_series(1, 30) AS n;
      CREATE SEQUENCE public.bench_entry;
      CREATE SEQUENCE public.bench_checkin;
      GRANT USAGE ON SEQUENCE public.bench_entry, public.bench_checkin TO settled_gateway;
      """)
    try await owner.execute("VACUUM (FREEZE, ANALYZE)")
  }

  /// Tokens of callers, as many as are asked for.
  func tokens(_ count: Int, _ caller: (Int64) -> Caller) async throws -> [String] {
    var all: [String] = []
    for number in 1...Int64(count) {
      all.append(try await tokens.token(for: caller(number), lasting: .seconds(86400), at: Surroundings.host.wall()))
    }
    return all
  }

  /// The first athlete who can enter.
  func firstRacer() async throws -> Int64 {
    try await owner.query("SELECT min(id) FROM racing.athlete WHERE display_name LIKE 'Racer %'").one(Int64.self)
  }

  func end() async throws {
    process.terminate()
    guard try await process.exit() == .code(0) else { throw BenchError("the gateway failed: \(process.errors.text)") }
    await owner.close()
  }
}
