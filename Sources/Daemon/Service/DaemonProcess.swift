import Engine
import Operations
import ConfigurationFiles
import HostProcess
import ControlAPI
import ControlServer
import Glibc
import HTTPServing
import Logging
import ServiceManager
import StopSignals

/// `settled run`: the service, its two sockets, and the reports to the service manager, started in order of dependency
/// and stopped in reverse.
struct DaemonProcess: Sendable {
  let options: ConfigurationOptions
  let configuration: Configuration
  let modules: [any Module]
  let manager: ServiceManager
  let log: LiveLog
  let time: Timekeeper

  /// Runs until SIGTERM or SIGINT. Throws `Exit` if it cannot start, or must not continue.
  func run() async throws {
    let stop = StopSignal.stream()
    let logger = log.logger
    let report = ServiceReport(manager, time: time)
    let journal = ObservationLog(logger)
    let watch = SocketWatch(logger)
    let controlLog = ControlLog(logger, time: time)
    let files = RecordFiles(
      modules.flatMap(\.records), in: configuration.stateDirectory, logger, time: time)
    let memory = HistoryFile(in: configuration.stateDirectory, logger)
    defer {
      files.finish()
      memory.finish()
    }
    let heartbeatInterval = ServiceReport.heartbeatInterval(for: manager)
    let service = Service(
      configuration, modules: modules, time: time, logger: logger, heartbeatInterval: heartbeatInterval,
      history: memory.storage
    ) { seen in
      journal(seen)
      report.note(seen)
      watch.note(seen)
      files.note(seen)
      if case .iteration = seen { controlLog.tellLeftOut() }
    }
    for warning in configuration.warnings { logger.warning("\(warning)") }
    if configuration.groups.isDefaultMissing {
      logger.warning("the settled group does not exist: the control socket belongs to the daemon's own group")
    }

    let reload = Reload(options: options, running: configuration, log: log)
    let health = NodeHealth(monitor: service.monitor, pool: service.pool, figures: service.figures, time: time)
    let doctor = LocalChecks(configuration: configuration, service: service, reload: reload, memory: memory)
    let server = ControlServer(
      configuration: ControlServerConfiguration(
        health: try source("health", configuration.healthSocket),
        control: try source("control", configuration.controlSocket), authorizer: configuration.groups.authorizer,
        version: Version.current),
      runner: service.commands(also: [reload.command], localChecks: doctor.findings), health: health,
      observe: controlLog.note)
    watch.watch(server, for: service.monitor)
    report.follow(service.monitor)
    reload.onGroups { server.authorize(with: $0.authorizer) }
    try await serve(server, service, report, stop)
  }

  /// The sockets listen before the service starts, and close after it ended.
  private func serve(
    _ server: ControlServer, _ service: Service, _ report: ServiceReport, _ stop: AsyncStream<StopSignal>
  ) async throws {
    let (stopping, forward) = AsyncStream<StopSignal>.makeStream()
    let (listening, listens) = AsyncStream<Void>.makeStream()
    let sockets = Task {
      defer { listens.finish() }
      do {
        try await server.run { listens.yield() }
      } catch let error as ServingError {
        throw Exit(error)
      }
    }
    var ready = listening.makeAsyncIterator()
    guard await ready.next() != nil else { return try await sockets.value }

    let timeout = Task { await report.readyAtLatest() }
    let signals = Task {
      for await signal in stop {
        report.stopping()
        forward.yield(signal)
      }
    }
    defer {
      timeout.cancel()
      signals.cancel()
    }
    do {
      try await service.run(until: stopping, time: time)
    } catch {
      await close(server, sockets, report)
      throw error
    }
    await close(server, sockets, report)
  }

  private func close(_ server: ControlServer, _ sockets: Task<Void, any Error>, _ report: ServiceReport) async {
    report.stopping()
    server.stop()
    // Pending answers get a moment to be read; their callers may be slow, or gone.
    let timeout = Task {
      try await time.sleep(.seconds(2))
      sockets.cancel()
    }
    _ = try? await sockets.value
    timeout.cancel()
  }

  private func source(_ name: String, _ path: String) throws -> SocketSource {
    do {
      if let descriptor = try manager.inheritedSockets()[name] { return .descriptor(descriptor) }
    } catch {
      throw Exit(error)
    }
    return .path(path)
  }
}

extension SocketGroups {
  var authorizer: Authorizer {
    Authorizer(ownUser: geteuid(), readers: readers, operators: operators, admins: admins)
  }
}
