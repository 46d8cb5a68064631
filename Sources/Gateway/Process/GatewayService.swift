import HTTPRouting
package import HTTPServing
package import Logging
import Postgres

/// The gateway's work: two sockets, and what answers on them.
package struct GatewayService: Sendable {
  private let server: HTTPServer
  private let database: Database
  private let health: GatewayHealth
  private let surroundings: Surroundings
  private let logger: Logger

  /// How long requests under way may take after a request to stop.
  private static let finishAtMost: Duration = .seconds(10)

  /// The parts that tests replace.
  package struct Parts: Sendable {
    package var routes: [Route]
    package var callers: any CallerSource
    /// Of own tokens, the current one first.
    package var keys: [PublicSigningKey]

    package init(routes: [Route], callers: any CallerSource, keys: [PublicSigningKey] = []) {
      self.routes = routes
      self.callers = callers
      self.keys = keys
    }
  }

  /// `listen` and `healthSocket`: what the service manager handed over instead of what is configured.
  package init(
    _ configuration: GatewayConfiguration, _ parts: Parts, listen: SocketSource? = nil,
    healthSocket: SocketSource? = nil, surroundings: Surroundings, logger: Logger,
    observe: @escaping @Sendable (ServingObservation) -> Void = { _ in }
  ) {
    let database = Database(configuration, surroundings)
    let (records, health) = (RequestRecords(logger), GatewayHealth(database, surroundings))
    let gauges = ServingGauges()
    let served = parts.routes.filter { configuration.systems.contains($0.system) }
    let described = DescriptionRoutes.beside(served, keys: parts.keys, publicURL: configuration.publicURL)
    let handler = GatewayHandler(
      table: RouteTable(served + described), callers: parts.callers,
      database: database, limits: configuration.limits, rates: RequestRates(configuration.limits),
      concurrency: ConcurrencyLimits(configuration.limits),
      proxies: configuration.trustedProxies, publicURL: configuration.publicURL,
      origins: CrossOrigin(origins: configuration.corsOrigins), records: records, surroundings: surroundings)
    let healthLimits = ServingLimits()
    let healthHandler = HealthHandler(
      source: GatewayProbes(health: health, database: database, records: records, gauges: gauges),
      bodyBytesMax: healthLimits.bodyBytesMax, response: GatewayProbes.response)
    var site = Site(
      listen ?? configuration.listen, mode: 0o660, group: configuration.listenGroup, allowsInternet: true,
      handler: handler, limits: configuration.limits.serving)
    site.gauges = gauges
    server = HTTPServer(
      [
        site,
        Site(
          healthSocket ?? .path(configuration.healthSocket), mode: 0o666, handler: healthHandler,
          limits: healthLimits),
      ], threads: Self.threads, observe: observe)
    self.database = database
    self.health = health
    self.surroundings = surroundings
    self.logger = logger
  }

  /// Reading and writing is little beside the database's work.
  private static let threads = 2

  /// Serves until the stream of signals returns or ends, then finishes the requests in progress.
  ///
  /// `ready` is called when both sockets listen, `progress` at each look at the database. Throws `ServingError` where
  /// they cannot listen. A database that is away is no reason to end.
  package func run(
    until stop: AsyncStream<String>, ready: @escaping @Sendable () -> Void = {},
    progress: @escaping @Sendable (_ isReady: Bool) -> Void = { _ in }
  ) async throws {
    let watching = Task {
      await health.watch { isUp in
        if isUp {
          logger.notice("the database responds")
        } else {
          logger.error("the database is unreachable; trying again")
        }
      } checked: {
        progress(health.isReady)
      }
    }
    let serving = Task { try await server.run(ready: ready) }
    let stopping = Task {
      guard let signal = await stop.first(where: { _ in true }) else { return }
      logger.notice("stopping", metadata: ["signal": "\(signal)"])
      server.stop()
      try await surroundings.sleep(Self.finishAtMost)
      serving.cancel()
    }
    let result = await serving.result
    stopping.cancel()
    watching.cancel()
    await database.close(within: .seconds(1))
    _ = await watching.value
    try result.get()
  }
}
