import Postgres
import Synchronization
import TestSupport
import Testing

/// Load on a cluster while blows fall on it, and the balance after all of them.
final class ClusterCampaign: Sendable {
  private let cluster: Cluster
  private let seed: String
  /// Apps that follow the primary by their URL: deposits, entries, imports, new races.
  private let load: ClientLoad
  /// An app that asks the gateways, and repeats what has no certain answer under the same key.
  private let web: GatewayLoad
  /// An app that comes through the proxy, and those that stand beside a primary that is struck.
  private let outside: Depositor
  private let beside = Mutex<[Depositor]>([])
  private let athlete: Int64

  init(_ cluster: Cluster, _ random: SeededGenerator) async throws {
    (self.cluster, seed) = (cluster, "\(random)")
    try await cluster.untilWhole()
    let owner = try await cluster.owner()
    try await owner.script(
      """
      SELECT settled.set('racing.results_grace', '1s'); SELECT settled.set('racing.entry_cutoff', '0s');
      CREATE SCHEMA ops; CREATE TABLE ops.effect (at timestamptz NOT NULL DEFAULT clock_timestamp());
      GRANT USAGE ON SCHEMA ops TO settled_schedule; GRANT INSERT ON ops.effect TO settled_schedule;
      CREATE FUNCTION ops.tick() RETURNS void LANGUAGE sql AS 'INSERT INTO ops.effect DEFAULT VALUES';
      """)
    let races = try await Herd(races: 5, entries: 30, athletes: 60).write(owner)
    try await owner.waitUntilSettled(races)
    let athletes = try await owner.query("SELECT id FROM racing.athlete ORDER BY id").decode(Int64.self)
    _ = try await owner.query("SELECT checkins.onboard('person-1', 'Europe/London')::text").one(String.self)
    await owner.close()
    let added = try await cluster.settlectl(
      2, "schedule", "add", "each-second", "--cron", "* * * * * *", "--call", "ops.tick", "--missed", "once")
    #expect(added.exit == .code(0), "\(added.errors)")
    let pool = Pool(
      options: ConnectionOptions(url: cluster.url("app")), size: 2, waitTimeout: .seconds(60), maximumWaiters: 10)
    load = ClientLoad(pool: pool, clients: 2, random: random, script: RacingCalls.script(athletes))
    // HAProxy answers 502 and 504 for a gateway that is gone.
    web = try await GatewayLoad(
      cluster.gateways, athletes: athletes, clients: 1, random: random, repeats: [502, 503, 504],
      token: cluster.token)
    athlete = try #require(athletes.first)
    outside = Depositor(cluster.proxyURL("app"), athlete: athlete, prefix: "outside")
  }

  /// One blow in the middle of a herd; what was struck is healed. Returns the figures.
  func endure(_ blow: ClusterBlow, round: Int) async throws -> String {
    let name = "\(blow), round \(round)"
    let leader = try await leader(for: blow)
    let neighbour = Depositor(cluster.url("app", on: leader), athlete: athlete, prefix: "beside-\(round)-\(blow)")
    beside.withLock { $0.append(neighbour) }
    try await untilTrue("a deposit beside the primary, \(seed)") { !neighbour.acknowledged.isEmpty }
    let promotion = try await Promotion(cluster, leader: leader)
    load.allow(150)
    web.allow(30)
    let herd = try await cluster.persist { try await Herd(races: 150, entries: 8, athletes: 40).write($0) }
    try await cluster.untilSettled(herd, 10, "before \(name), \(seed)")

    let start = ContinuousClock.now
    let heal = try await blow.strike(cluster, leader: leader)
    // These begin when nothing is healed yet.
    web.allow(30)
    let writes = blow.promotes ? try await promotion.wait() : start
    let late = try await cluster.persist { try await Herd(races: 5, entries: 8).write($0) }
    try await cluster.untilSettled(late, 1, "after \(name), \(seed)")
    let settles = ContinuousClock.now
    try await untilTrue("a deposit after \(name), \(seed)") { outside.first(after: writes) != nil }
    try await heal()
    try await cluster.untilWhole()
    await promotion.close()
    await neighbour.stop()
    try await cluster.untilSettled(herd + late, herd.count + late.count, "after \(name), \(seed)")
    try await cluster.persist { try await Books.check($0, self.seed) }

    let deposits = outside.first(after: writes).map { writes.duration(to: $0) } ?? .zero
    return """
      \(name): \(blow.promotes ? "another machine writes after \(seconds(start.duration(to: writes))), " : "")\
      a deposit \(seconds(deposits)) and a settled race \(seconds(writes.duration(to: settles))) after \
      \(blow.promotes ? "that" : "the blow"), no deposit for \(seconds(outside.longestPause(since: start))) at most
      """
  }

  /// A daemon stands beside the machine that is cut off: so it must be one of the first two.
  private func leader(for blow: ClusterBlow) async throws -> Int {
    try await cluster.untilWhole()
    let leader = try await cluster.leader()
    guard blow == .primaryCutOff, leader == 3 else { return leader }
    _ = try await ClusterBlow.switchover.strike(cluster, leader: leader)
    try await untilTrue("a primary with a daemon beside it") { try await self.cluster.leader() != leader }
    try await cluster.untilWhole()
    return try await cluster.leader()
  }

  private func seconds(_ duration: Duration) -> String { "\((duration / .milliseconds(100)).rounded() / 10) s" }

  /// All that was due is done, once; all that was acknowledged is there, once. Returns the sums.
  func judge() async throws -> String {
    await outside.stop()
    try await untilTrue("the calls that are allowed, \(seed)", within: .seconds(240)) {
      load.calls >= load.goal && web.calls >= web.goal
    }
    await load.stop()
    await web.stop()
    let paused = try await cluster.settlectl(1, "schedule", "pause", "each-second")
    #expect(paused.exit == .code(0), "\(paused.errors)")
    try await cluster.untilNothingIsDue(seed)
    return try await ClusterBalance(
      cluster: cluster, load: load, web: web, depositors: beside.withLock { $0 } + [outside], seed: seed
    )
    .strike()
  }
}
