import Daemon
import Engine
import EmbeddedPostgres
import FoundationEssentials
import HostProcess
import Logging
import Postgres
import Synchronization

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
    let cluster = try await EmbeddedPostgres.start(settings: ["fsync": "off", "synchronous_commit": "off"])
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
    try await owning.setClock(DemoStory.start)
    let directory = FileManager.default.temporaryDirectory.path + "/settled-demo.\(UInt32.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let (ends, ending) = AsyncStream<String>.makeStream()
    let gateway = try await serving?.start(
      databaseURL: cluster.url(database: "postgres", user: "settled_gateway"), directory: directory, time: time
    ) { ending.yield("gateway") }
    do {
      try await withDaemon(cluster.url(database: "postgres", user: "settled_daemon"), directory: directory) {
        try await DemoStory(app: DemoApp(pool: app), owner: owning, time: time, seed: seed, show: show).run()
        try await serving?.serve(
          DemoApp(pool: app), owning, directory: directory, time: time, ends: ends, show: show)
      } ended: {
        ending.yield("settled")
      }
    } catch {
      await gateway?.stop()
      await close(app, owner)
      throw error
    }
    await gateway?.stop()
    await close(app, owner)
  }

  /// Runs the daemon while the work goes on. Throws where it failed, or where items did.
  private func withDaemon(
    _ databaseURL: String, directory: String, _ work: () async throws -> Void, ended: @escaping @Sendable () -> Void
  ) async throws {
    var configuration = Configuration(databaseURL: databaseURL, node: "demo")
    provider?.configure(&configuration, directory: directory)
    let logger = try serving?.logger(in: directory) ?? Logger(label: "demo") { _ in SwiftLogNoOpLogHandler() }
    let log = ObservationLog(logger)
    let (stop, stopper) = AsyncStream<StopSignal>.makeStream()
    let warnings = Mutex<[String]>([])
    let service = Service(configuration, time: time, logger: logger) { observation in
      log(observation)
      if case .itemFailed(let job, let key, _, _, let error) = observation {
        warnings.withLock { $0.append("\(job) \(key): \(error.text)") }
      }
    }
    let daemon = Task {
      defer { ended() }
      try await service.run(until: stop, time: time)
    }
    do {
      try await work()
    } catch {
      stopper.yield(.terminate)
      _ = try? await daemon.value
      throw error
    }
    stopper.yield(.terminate)
    try await daemon.value
    let failures = warnings.withLock { $0 }
    guard failures.isEmpty else { throw Exit(.bug, "items failed: \(failures.joined(separator: "; "))") }
  }

  private func pool(_ url: String) -> Pool {
    Pool(
      options: ConnectionOptions(url: url, applicationName: "settled demo"), size: 2, waitTimeout: .seconds(10),
      maximumWaiters: 10)
  }

  private func close(_ pools: Pool...) async {
    for pool in pools { await pool.close() }
  }
}
