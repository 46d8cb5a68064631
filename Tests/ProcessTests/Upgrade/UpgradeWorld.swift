import Crypto
import EmbeddedPostgres
import Postgres
import TestSupport
import Testing

/// A database of the former release, apps that call it directly and through gateways, and nodes of both releases.
final class UpgradeWorld: Sendable {
  let owner: Connection
  let database: SettledDatabase
  let racing: ClientLoad
  let people: ClientLoad
  let web: GatewayLoad
  let formerGateway: LiveGateway
  let newGateway: LiveGateway
  private let cluster: EmbeddedPostgres
  private let seed: String

  init(_ random: SeededGenerator) async throws {
    seed = "\(random)"
    (cluster, database) = try await FormerRelease.database()
    owner = try await database.connect()
    try await owner.script(
      """
      SELECT settled.set('racing.results_grace', '0s'); SELECT settled.set('racing.entry_cutoff', '0s');
      CREATE SCHEMA ops; CREATE TABLE ops.effect (at timestamptz NOT NULL DEFAULT clock_timestamp());
      GRANT USAGE ON SCHEMA ops TO settled_schedule; GRANT INSERT ON ops.effect TO settled_schedule;
      CREATE FUNCTION ops.tick() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.effect DEFAULT VALUES';
      """)
    _ = try await Herd(races: 5, entries: 30, athletes: 60).write(owner)
    let athletes = try await owner.query("SELECT id FROM racing.athlete ORDER BY id").decode(Int64.self)
    let variables = [
      "SETTLED_GATEWAY_SIGNING_KEY": P256.Signing.PrivateKey().pemRepresentation,
      "SETTLED_GATEWAY_WRITES_PER_SECOND": "10000", "SETTLED_GATEWAY_WRITES_BURST": "10000",
    ]
    formerGateway = try LiveGateway(database, variables, program: FormerRelease.program("settled-gateway"))
    newGateway = try LiveGateway(database, variables)
    var random = random
    racing = ClientLoad(database, athletes: athletes, clients: 2, random: SeededGenerator(seed: random.next()))
    let calls = try await PeopleCalls(owner)
    people = ClientLoad(database, clients: 1, random: SeededGenerator(seed: random.next()), script: calls.script())
    web = try await GatewayLoad(
      formerGateway, athletes: athletes, clients: 2, random: SeededGenerator(seed: random.next()))
  }

  func node(_ age: FormerRelease.Age, _ name: String) async throws -> SettledProcess {
    let program = age == .former ? FormerRelease.program("settled") : SettledProcess.program
    let environment = SettledProcess.adminsAreOurs.merging(
      ["SETTLED_SCHEDULES_DATABASE_URL": database.database.url(user: "settled_schedule")]
    ) { $1 }
    let daemon = try SettledProcess.daemon(database, node: name, environment, program: program)
    try await daemon.log("ready")
    return daemon
  }

  /// Apps call and races fall due while something is done in the middle of it; then
  /// all is done, and nobody saw an error.
  func stage(_ name: String, _ random: inout SeededGenerator, _ act: () async throws -> Void) async throws {
    let began = ContinuousClock.now
    racing.allow(800)
    people.allow(400)
    web.allow(250)
    let races = try await Herd(races: 150, entries: 20, athletes: 50).write(owner)
    let middle = Int64.random(in: 0..<100, using: &random)
    try await untilTrue("\(middle) settled races: \(name), \(seed)") { try await self.settled(races) >= middle }
    try await act()
    try await owner.waitUntilSettled(races)
    let goals = (racing.goal, people.goal, web.goal)
    try await untilTrue("the calls of \(name), \(seed)", within: .seconds(180)) {
      (self.racing.calls, self.people.calls, self.web.calls) == goals
    }
    let errors = racing.errors + people.errors + web.errors
    try #require(errors.isEmpty, "\(name), \(seed): \(errors.prefix(20))")
    let differences = try await Books.differences(owner)
    try #require(differences.isEmpty, "\(name), \(seed): \(differences.joined(separator: "\n"))")
    print("upgrade: \(name): \(began.duration(to: .now))")
  }

  private func settled(_ races: [Int64]) async throws -> Int64 {
    try await owner.query("SELECT count(*) FROM racing.race WHERE id = ANY(\(races)) AND status = 'settled'")
      .one(Int64.self)
  }

  func number(_ statement: Statement) async throws -> Int64 { try await owner.query(statement).one(Int64.self) }

  func end() async {
    await owner.close()
    await cluster.stop()
  }
}
