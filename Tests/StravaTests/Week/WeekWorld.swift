import EmbeddedPostgres
import Postgres
import Synchronization
import TestSupport

/// A provider and a database whose clocks are stepped together, and two daemons that are killed at any time.
final class WeekWorld: Sendable {
  static let nodes = ["a", "b"]

  private let cluster: EmbeddedPostgres
  private let database: SettledDatabase
  /// The product's; its sessions reconnect after the server has restarted.
  private let owner: Pool
  /// In another database than the one that rejects log-ins.
  private let administrator: Pool
  let provider: FakeProvider
  private let heir: LeaseHeir
  private let directory: ScratchDirectory
  private let key = World.newKey()
  private let living = Mutex<[String: SettledProcess]>([:])
  /// Killed, and not known to have left no lease.
  private let dead = Mutex<[SettledProcess]>([])

  init() async throws {
    // The server's processes are killed, the machine stays up: what was written need not be on the disk.
    cluster = try await EmbeddedPostgres.start(settings: ["max_connections": "60", "fsync": "off"])
    database = try await SettledDatabase.simulated(in: cluster)
    owner = database.pool(.owner, size: 2)
    administrator = Pool(
      options: ConnectionOptions(url: cluster.url(), applicationName: "administrator"), size: 1,
      waitTimeout: .seconds(20), maximumWaiters: 10)
    provider = try await FakeProvider()
    heir = LeaseHeir(database)
    directory = try ScratchDirectory()
    for node in Self.nodes { try start(node) }
  }

  /// Asks until the database responds: what is asked may be done twice.
  func ask(_ statement: Statement) async throws -> Rows { try await ask(statement, of: owner) }

  private func ask(_ statement: Statement, of pool: Pool) async throws -> Rows {
    let start = ContinuousClock.now
    while true {
      do {
        return try await pool.withConnection { try await $0.query(statement) }
      } catch let error as PostgresError where error.verdict == .connection && start.duration(to: .now) < .seconds(60) {
        try await pauseBetweenLooks()
      }
    }
  }

  func setClock(_ now: Int64) async throws {
    try await provider.setClock(now)
    _ = try await ask("SELECT settled.set_clock(to_timestamp(\(Double(now))))")
  }

  /// The limit of the provider in 15 minutes, and our count of it.
  func setLimit(_ limit: Int) async throws {
    try await provider.configure(ProviderSettings(limits: .init(limit, limit * 96)))
    _ = try await ask(
      """
      SELECT settled.set('strava.limit_15min', \("\(limit)")), settled.set('strava.limit_day', \("\(limit * 96)"))
      """)
  }

  /// A new athlete; theirs is 1000 + our number at the provider.
  func newAthlete() async throws -> Int64 {
    try await ask("SELECT racing.create_athlete('Ann')").one(Int64.self)
  }

  func connect(_ athlete: Int64) async throws {
    let code = try await provider.authorize(1000 + athlete)
    _ = try await ask("SELECT racing.connect_strava(\(athlete), \(code), \(FakeProvider.scopes))")
  }

  // MARK: Daemons

  func start(_ node: String) throws {
    let daemon = try DaemonProcess.start(
      node, url: database.url(.daemon), provider: provider, key: key, stateBelow: directory)
    living.withLock { $0[node] = daemon }
  }

  /// The last lines of their logs.
  var logs: [String] {
    living.withLock { Array($0.values) }.map { $0.errors.text.split(separator: "\n").suffix(8).joined(separator: "\n") }
  }

  func spool(_ node: String) -> SpoolDirectory { SpoolDirectory(of: node, below: directory) }

  /// The athletes whose replies nodes that live have on disk.
  var livingSpools: Set<Int64> {
    living.withLock { Array($0.keys) }.reduce(into: []) { $0.formUnion(spool($1).athletes) }
  }

  /// Kills nodes; what is in their hands is known by `inDeadHands`.
  func kill(_ nodes: [String]) async throws {
    let victims = living.withLock { living in nodes.compactMap { living.removeValue(forKey: $0) } }
    for victim in victims { victim.killHard() }
    for victim in victims { _ = try await victim.exit() }
    dead.withLock { $0 += victims }
  }

  /// The athletes for whom dead runs were calling, and whose replies are on no disk.
  func inDeadHands() async throws -> Set<Int64> {
    let owners = dead.withLock { $0.map { " \($0.pid)" } }
    let leases = try await ask("SELECT key::bigint, owner FROM settled.lease WHERE job = 'token-refresh'")
      .decode(Int64.self, String.self).filter { lease in owners.contains { lease.1.hasSuffix($0) } }
    return Self.nodes.reduce(into: Set(leases.map(\.0))) { $0.subtract(spool($1).athletes) }
  }

  /// Takes away what dead runs have left.
  func inherit() async throws {
    let runs = dead.withLock { $0 }
    guard !runs.isEmpty else { return }
    do {
      _ = try await heir.takeAway(of: runs)
    } catch let error as PostgresError where error.verdict == .connection {
      // The server has just come back, and the pool has not noticed: there is another time.
    }
  }

  /// Ends the daemons as an operator does; returns how.
  func stop() async throws -> [SettledProcess.Exit] {
    let all = living.withLock { living in
      defer { living = [:] }
      return Array(living.values)
    }
    for daemon in all { daemon.terminate() }
    var exits: [SettledProcess.Exit] = []
    for daemon in all { exits.append(try await daemon.exit()) }
    for pool in [owner, administrator] { await pool.close() }
    await cluster.stop()
    return exits
  }

  // MARK: The server

  func restartDatabase(isCrash: Bool) async throws {
    if isCrash { try await cluster.kill() } else { try await cluster.pause() }
    try await cluster.resume()
  }

  /// Rejects log-ins, and ends the sessions of the daemons; the test's own sessions stay.
  func setDatabase(open: Bool) async throws {
    let name = database.database.name.quotedIdentifier
    _ = try await ask(
      "ALTER DATABASE \(raw: name) ALLOW_CONNECTIONS \(raw: open ? "true" : "false")", of: administrator)
    if !open {
      _ = try await ask(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'settled'",
        of: administrator)
    }
  }
}
