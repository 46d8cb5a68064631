import EmbeddedPostgres
import Foundation
import Postgres
import Synchronization
import TestSupport

/// All systems on one database, in a cluster of its own: three daemons, a gateway, a provider, and apps.
///
/// The clock is simulated and runs; now and then it is set ahead, so that days close and tokens come to their end.
final class MixedWorld: Sendable {
  /// A minute before midnight in London.
  static let start = "2031-06-02T22:59:00Z"
  /// The one that is never killed.
  static let steady = "steady"
  static let nodes = [steady, "one", "two"]

  let cluster: EmbeddedPostgres
  let database: SettledDatabase
  let owner: Pool
  let provider: FakeProvider
  let gateway: LiveGateway
  let seed: String
  private let directory: ScratchDirectory
  private let variables: [String: String]
  private let living = Mutex<[String: SettledProcess]>([:])
  private let web = Mutex<SettledProcess?>(nil)
  private let found = Mutex<[String]>([])

  init(_ seed: String) async throws {
    self.seed = seed
    cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "100", "fsync": "off"])
    database = try await SettledDatabase.simulated(in: cluster)
    owner = database.pool(.owner, size: 3)
    provider = try await FakeProvider()
    gateway = try LiveGateway(
      database, ["SETTLED_GATEWAY_WRITES_PER_SECOND": "10000", "SETTLED_GATEWAY_WRITES_BURST": "10000"])
    directory = try ScratchDirectory()
    let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    variables = [
      "SETTLED_SCHEDULES_DATABASE_URL": database.database.url(user: "settled_schedule"),
      "SETTLED_STRAVA_OAUTH_BASE": provider.url, "SETTLED_STRAVA_API_BASE": provider.url + "/api/v3",
      "SETTLED_STRAVA_CLIENT_ID": provider.clientId, "SETTLED_STRAVA_CLIENT_SECRET": provider.clientSecret,
      "SETTLED_TOKEN_KEY": key,
    ]
  }

  // MARK: The database

  /// Asks until the database responds: what is asked may be done twice.
  @discardableResult
  func ask(_ statement: Statement, within limit: Duration = .seconds(60)) async throws -> Rows {
    try await persist(within: limit) { try await $0.query(statement) }
  }

  func number(_ statement: Statement) async throws -> Int64 { try await ask(statement).one(Int64.self) }

  func persist<R: Sendable>(
    within limit: Duration = .seconds(60), _ body: (Connection) async throws -> R
  ) async throws -> R {
    let start = ContinuousClock.now
    while true {
      do {
        return try await owner.withConnection { try await body($0) }
      } catch let error as PostgresError where error.asksForRepetition && start.duration(to: .now) < limit {
        try await pauseBetweenLooks()
      }
    }
  }

  /// Time runs on its own; this sets it ahead, for the database and for the provider.
  func advance(_ seconds: Int64, running: Bool = true) async throws {
    let now = try await number(
      "SELECT extract(epoch FROM settled.clock() + \(seconds) * interval '1 second')::bigint")
    try await provider.setClock(now, runs: running)
    try await ask("SELECT settled.set_clock(greatest(settled.clock(), to_timestamp(\(Double(now)))), \(running))")
  }

  // MARK: Processes

  /// Things that nobody expected of the processes.
  var troubles: [String] { found.withLock { $0 } }

  var steady: SettledProcess? { living.withLock { $0[Self.steady] } }
  var webProcess: SettledProcess? { web.withLock { $0 } }
  func process(_ node: String) -> SettledProcess? { living.withLock { $0[node] } }

  func start(_ node: String) throws {
    let state = "\(directory.path)/\(node)"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    let daemon = try SettledProcess.daemon(
      database, node: node,
      SettledProcess.adminsAreOurs.merging(variables) { $1 }.merging(["SETTLED_STATE_DIRECTORY": state]) { $1 })
    living.withLock { $0[node] = daemon }
  }

  func startGateway() throws {
    let process = try gateway.launch()
    web.withLock { $0 = process }
  }

  /// Starts what has ended, as the service manager does: after a kill, or where a program said that it shall try later.
  func revive() async throws {
    for node in Self.nodes {
      guard let daemon = process(node), !daemon.isRunning else { continue }
      try await note(node, daemon, mayBeKilled: node != Self.steady)
      try start(node)
    }
    if let process = webProcess, !process.isRunning {
      try await note("gateway", process, mayBeKilled: true)
      try startGateway()
    }
  }

  private func note(_ name: String, _ process: SettledProcess, mayBeKilled: Bool) async throws {
    let exit = try await process.exit()
    if exit == .code(75) || mayBeKilled && exit == .signal(SIGKILL) { return }
    found.withLock { $0.append("\(name) ended with \(exit): \(process.errors.text.suffix(2000))") }
  }

  /// Ends all as an operator does; returns how.
  func stop() async throws -> [SettledProcess.Exit] {
    let all = living.withLock { Array($0.values) } + [webProcess].compactMap { $0 }
    for process in all { process.terminate() }
    var exits: [SettledProcess.Exit] = []
    for process in all { exits.append(try await process.exit()) }
    await owner.close()
    await cluster.stop()
    return exits
  }

  func sample() async throws -> ResourceSample? {
    guard let steady else { return nil }
    return try ResourceSample(
      steady,
      sessions: try await number(
        "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('settled_daemon', 'settled_schedule')"))
  }
}
