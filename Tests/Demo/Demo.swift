import Engine
import EmbeddedPostgres
import FoundationEssentials
import HostProcess
import Postgres

/// Races filling, ending and being paid, and days of check-ins closing, for a person to watch: everything
/// is real but the people and the clock.
struct Demo: Sendable {
  let seed: UInt64
  let time: Timekeeper
  let provider: DemoProvider?
  /// Nil: the demo ends with its story.
  var serving: DemoServing?
  let show: @Sendable (String) -> Void

  /// Runs to the end, or until the task is cancelled; nothing is left behind either way.
  func run() async throws {
    show("Starting a private PostgreSQL ...")
    let cluster = try await EmbeddedPostgres.start(
      // The story kills a daemon: its session ends then, also one that waits for a lock.
      settings: ["fsync": "off", "synchronous_commit": "off", "client_connection_check_interval": "100ms"])
    do {
      try await onCluster(cluster)
    } catch {
      await cluster.stop()
      throw error
    }
    await cluster.stop()
    show("\nNothing is left behind: the private PostgreSQL is stopped and removed.")
  }

  private func onCluster(_ cluster: EmbeddedPostgres) async throws {
    let ownerURL = cluster.url(database: "postgres", user: "postgres")
    _ = try await Migrator(simulatesClock: true).migrate(ConnectionOptions(url: ownerURL))
    let owner = pool(ownerURL)
    _ = try await owner.withConnection { try await $0.execute("CREATE ROLE demo_app LOGIN IN ROLE settled_app") }
    let app = pool(cluster.url(database: "postgres", user: "demo_app"))

    // Before the daemon meets the database: its calendar begins where the story does.
    try await provider?.begin()
    let owning = DemoOwner(pool: owner, provider: provider)
    if provider != nil { try await owning.demandProof() }
    try await owning.setClock(DemoStory.start)
    let directory = FileManager.default.temporaryDirectory.path + "/settled-demo.\(UInt32.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let (ends, ending) = AsyncStream<String>.makeStream()
    let gateway = try await serving?.start(
      databaseURL: cluster.url(database: "postgres", user: "settled_gateway"), directory: directory
    ) { ending.yield("gateway") }
    let daemon = try DemoDaemon(
      databaseURL: cluster.url(database: "postgres", user: "settled_daemon"), directory: directory, provider: provider,
      time: time
    ) { ending.yield("settled") }
    do {
      let app = DemoApp(pool: app)
      try await daemon.start()
      try await DemoStory(app: app, owner: owning, daemon: daemon, time: time, seed: seed, show: show).run()
      try await refuseFailures(owning)
      try await serving?.serve(app, owning, daemon, directory: directory, ends: ends, show: show)
    } catch {
      await daemon.stop()
      await gateway?.stop()
      await close(app, owner)
      throw error
    }
    await daemon.stop()
    await gateway?.stop()
    await close(app, owner)
  }

  /// After a crash the daemon counts each attempt until it has succeeded: those are waited for.
  private func refuseFailures(_ owner: DemoOwner) async throws {
    do {
      try await DemoPatience(time: time).wait("the last items") { Int64(try await owner.failures().count) }
    } catch let error as Exit {
      let failures = try await owner.failures()
      throw failures.isEmpty ? error : Exit(.bug, "items failed: \(failures.joined(separator: "; "))")
    }
  }

  private func pool(_ url: String) -> Pool {
    Pool(
      options: ConnectionOptions(url: url, applicationName: "settled demo"), size: 2, waitTimeout: .seconds(60),
      maximumWaiters: 10)
  }

  private func close(_ pools: Pool...) async {
    for pool in pools { await pool.close() }
  }
}
