import Engine
import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport

/// Two daemons with a provider and a server of their own, whose log has every
/// statement, and all the secrets among them.
final class SecretLife: Sendable {
  /// 2031-03-05T12:00:00Z.
  static let start: Int64 = 1_930_478_400

  let cluster: EmbeddedPostgres
  let provider: FakeProvider
  let directory: ScratchDirectory
  let haystack = Haystack()
  /// The key that seals first, and the one that takes its place.
  let keys = (0..<2).map { _ in Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString() }
  let wrongSecret = "cs_wrong_\(UInt64.random(in: 1 << 60 ... .max))"
  let refusedCode = "ac_refused_\(UInt64.random(in: 1 << 60 ... .max))"

  private static let settings = [
    "fsync": "off", "autovacuum": "off", "log_statement": "all", "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0", "log_min_messages": "info", "log_error_verbosity": "verbose",
  ]

  init() async throws {
    cluster = try await EmbeddedPostgres.start(settings: Self.settings)
    _ = try await Migrator(simulatesClock: true).migrate(ConnectionOptions(url: cluster.url()))
    provider = try await FakeProvider()
    directory = try ScratchDirectory()
    try await provider.configure(ProviderSettings(limits: .init(1_000_000, 1_000_000), echoes: true))
    try await run(
      """
      CREATE ROLE secret_app LOGIN IN ROLE settled_app;
      CREATE ROLE secret_reader LOGIN IN ROLE settled_reader;
      SELECT settled.set('strava.limit_15min', '1000000'), settled.set('strava.limit_day', '1000000');
      """)
    try await setClock(Self.start)
  }

  /// All that must not show.
  func needles() async throws -> [Needle] {
    try await provider.secrets().map(Needle.init(issued:)) + keys.map { Needle(.tokenKey, $0) }
      + [Needle(.clientSecret, provider.clientSecret), Needle(.clientSecret, wrongSecret), Needle(.code, refusedCode)]
  }

  /// A daemon with the state directory of its name. `b` has its secrets in a file, as it may.
  func daemon(_ name: String, key: Int = 0, secret: String? = nil) throws -> SettledProcess {
    let state = "\(directory.path)/\(name)"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    var environment = [
      "SETTLED_DATABASE_URL": cluster.url(user: "settled_daemon"), "SETTLED_NODE": name,
      "SETTLED_STATE_DIRECTORY": state, "SETTLED_LOG_LEVEL": "trace", "SETTLED_STRAVA_OAUTH_BASE": provider.url,
      "SETTLED_STRAVA_CLIENT_ID": provider.clientId,
    ].merging(SettledProcess.adminsAreOurs) { own, _ in own }
    let secrets = [
      "strava_client_secret": secret ?? provider.clientSecret, "token_key": keys[key],
      "token_key_old": key == 0 ? "" : keys[0],
    ]
    guard name == "b" else {
      for (key, value) in secrets { environment["SETTLED_\(key.uppercased())"] = value }
      return try SettledProcess(["run"], environment)
    }
    try write(secrets)
    return try SettledProcess(["run", "--config", file], environment)
  }

  var file: String { directory.path + "/settled.conf" }

  func write(_ values: [String: String]) throws {
    let text = values.sorted { $0.key < $1.key }.map { "\($0.key) = '\($0.value)'\n" }.joined()
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  func setClock(_ now: Int64) async throws {
    try await provider.setClock(now)
    try await ask { try await $0.execute("SELECT settled.set_clock(to_timestamp(\(Double(now))))") }
  }

  /// Advances to when every token must have been refreshed.
  func advance() async throws { try await advance(by: 6 * 3600 - 600) }

  func advance(by seconds: Int64) async throws {
    let now = try await ask { try await $0.query("SELECT extract(epoch FROM settled.clock())::bigint").one(Int64.self) }
    try await setClock(now + seconds)
  }

  func run(_ script: String) async throws { try await ask { try await $0.script(script) } }

  /// With a connection of its own, because the server goes and comes back.
  @discardableResult
  func ask<R: Sendable>(
    as user: String = "postgres", _ body: (Connection) async throws -> R
  ) async throws -> R {
    let connection = try await Connection.connect(
      ConnectionOptions(url: cluster.url(user: user), applicationName: "secrets"))
    let result = try await body(connection)
    await connection.close()
    return result
  }

  func number(_ statement: Statement) async throws -> Int64 {
    try await ask { try await $0.query(statement).one(Int64.self) }
  }
}
