import HTTPServing
import HostProcess
import Logging
import ServiceManager
import StopSignals
import Synchronization

/// `settled-gateway run`: the service, and its notices to the service manager.
struct GatewayProcess: Sendable {
  let configuration: GatewayConfiguration
  let manager: ServiceManager
  let logger: Logger
  let surroundings: Surroundings

  /// The names of the sockets in settled-gateway.socket and settled-gateway-health.socket.
  private static let socketNames = (http: "http", health: "health")

  /// Runs until SIGTERM or SIGINT. Throws `Exit` where it cannot start.
  func run() async throws {
    let stop = StopSignal.stream()
    let watchdog = Watchdog(manager)
    watchdog.noteProgress(at: surroundings.now())
    for warning in configuration.warnings { logger.warning("\(warning)") }
    let files = configuration.limits.connectionsMax + 4 * configuration.limits.poolSize + 64
    if !Host.raiseFileLimit(to: files) {
      logger.warning("the limit on open files is too low for this many connections", metadata: ["needed": "\(files)"])
    }
    let sockets = try inherited()
    let parts = try await GatewayService.Parts.configured(configuration, surroundings, logger)
    let service = GatewayService(
      configuration, parts, listen: sockets[Self.socketNames.http].map { .descriptor($0) },
      healthSocket: sockets[Self.socketNames.health].map { .descriptor($0) }, surroundings: surroundings,
      logger: logger, observe: note)
    do {
      try await service.run(until: names(of: stop)) { [manager, logger] in
        manager.ready(status: "serving")
        logger.notice("ready")
      } progress: { [manager, surroundings] isReady in
        watchdog.noteProgress(at: surroundings.now())
        manager.status(isReady ? "serving" : "degraded: the database is unreachable")
      }
    } catch let error as ServingError {
      throw Exit(error)
    }
    logger.notice("stopped")
  }

  /// The signals; the manager gets a notice of each first.
  private func names(of signals: AsyncStream<StopSignal>) -> AsyncStream<String> {
    AsyncStream { continuation in
      let task = Task {
        for await signal in signals {
          manager.stopping()
          continuation.yield(signal.rawValue)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func inherited() throws -> [String: Int32] {
    do {
      return try manager.inheritedSockets(allowsInternet: true)
    } catch {
      throw Exit(.configuration, "\(error)")
    }
  }

  private func note(_ observation: ServingObservation) {
    switch observation {
    case .listening(let socket): logger.info("listening on a socket", metadata: ["socket": "\(socket)"])
    // The metrics count them: a line for each would let anybody fill the journal.
    case .connectionRefused: break
    case .timedOut(let head): logger.warning("a request took too long", metadata: ["method": "\(head.method)"])
    }
  }
}
