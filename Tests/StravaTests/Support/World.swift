import Daemon
import Foundation
import Postgres
import DaemonSupport
import TestSupport

/// A database with a simulated clock, a provider with the same clock, and nodes that are configured for it.
final class World: Sendable {
  /// 2031-03-05T12:00:00Z.
  static let start: Int64 = 1_930_478_400
  static let hour: Int64 = 3600

  let database: SettledDatabase
  let owner: Connection
  let app: Connection
  let provider: FakeProvider
  let directory: ScratchDirectory
  let key: String

  /// `isReal`: with the machine's clock.
  init(isReal: Bool = false) async throws {
    database = try await isReal ? SettledDatabase.real() : SettledDatabase.simulated()
    owner = try await database.connect()
    app = try await database.connect(.app)
    provider = try await FakeProvider()
    directory = try ScratchDirectory()
    key = Self.newKey()
    if !isReal { try await setClock(Self.start) }
  }

  static func newKey() -> String { Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString() }

  /// Sets the clocks of the database and of the provider, in seconds since 1970.
  func setClock(_ now: Int64) async throws {
    try await provider.setClock(now)
    try await owner.execute("SELECT settled.set_clock(to_timestamp(\(Double(now))))")
  }

  func advance(by seconds: Int64) async throws {
    try await setClock(
      try await owner.query("SELECT extract(epoch FROM settled.clock())::bigint").one(Int64.self) + seconds)
  }

  /// A node with its state in a directory of its name.
  func node(_ name: String = "a", configure: (inout Configuration) -> Void = { _ in }) throws -> TestNode {
    let state = "\(directory.path)/\(name)"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    return TestNode(database, name: name) { configuration in
      configuration.stateDirectory = state
      configuration.provider = options
      configure(&configuration)
    }
  }

  private var options: ProviderConfiguration {
    var options = ProviderConfiguration()
    options.oauthBase = provider.url
    options.apiBase = provider.url + "/api/v3"
    options.clientID = provider.clientId
    options.clientSecret = provider.clientSecret
    options.tokenKey = key
    return options
  }

  /// An athlete who has come back from the provider with a code; theirs is 1000 + our number there.
  @discardableResult
  func connect(_ count: Int = 1) async throws -> [Int64] {
    var athletes: [Int64] = []
    for _ in 0..<count {
      let athlete = try await app.query("SELECT racing.create_athlete('Ann')").one(Int64.self)
      try await connect(athlete, as: 1000 + athlete)
      athletes.append(athlete)
    }
    return athletes
  }

  func connect(_ athlete: Int64, as account: Int64) async throws {
    let code = try await provider.authorize(account)
    try await app.execute("SELECT racing.connect_strava(\(athlete), \(code), \(FakeProvider.scopes))")
  }

  func status(_ athlete: Int64) async throws -> String {
    try await owner.query(
      "SELECT status || coalesce(' ' || reason, '') FROM strava.connection WHERE athlete_id = \(athlete)"
    ).one(String.self)
  }

  func until(_ athlete: Int64, is status: String) async throws {
    do {
      try await untilTrue("\(athlete) is \(status)", within: .seconds(60)) { try await self.status(athlete) == status }
    } catch let limit as TimeLimitError {
      throw TimeLimitError(description: "\(limit); it is \(try await self.status(athlete)); \(try await troubles())")
    }
  }

  /// The rows of failures and problems.
  func troubles() async throws -> [String] {
    try await owner.query(
      """
      SELECT job || ' ' || key || ': ' || error FROM settled.failure
      UNION ALL SELECT name || ': ' || problem FROM settled.problem
      """
    ).decode(String.self)
  }

  /// The answer to the app: the token, null where there is none.
  func token(_ athlete: Int64) async throws -> String? {
    try await app.query("SELECT strava.access_token(\(athlete)) ->> 'accessToken'").one(String?.self)
  }

  func generation(_ athlete: Int64) async throws -> Int64 {
    try await owner.query(
      "SELECT coalesce(max(number), 0) FROM strava.secret WHERE kind = 'refresh' AND athlete_id = \(athlete)"
    ).one(Int64.self)
  }

  /// Topics and keys of events, in their order.
  func events() async throws -> [String] {
    try await app.query(
      "SELECT topic || ' ' || payload::text FROM settled.events() WHERE topic LIKE 'strava.%' ORDER BY position::bigint"
    )
    .decode(String.self)
  }

  func number(_ statement: Statement) async throws -> Int64 { try await owner.query(statement).one(Int64.self) }

  /// Ends the back-off of failing items, which is real time.
  func endBackoff() async throws {
    try await owner.execute("UPDATE settled.failure SET next_attempt_at = last_at WHERE next_attempt_at > last_at")
  }
}
