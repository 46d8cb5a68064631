import ArgumentParser
import Glibc
import Logging
import ServiceManager

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the daemon in the foreground until SIGTERM or SIGINT.")

  @OptionGroup var options: ConfigurationOptions

  func run() async throws {
    let configuration = try options.read()
    let stop = StopSignal.stream()
    let manager = ServiceManager(environment: Host.environment, pid: getpid())
    var logger = Logger(label: "settled") { _ in JournalLog(manager, level: configuration.logLevel) }
    logger.logLevel = configuration.logLevel
    let log = ObservationLog(logger)
    let report = ServiceReport(manager, time: Host.timekeeper)
    let service = Service(
      configuration, time: Host.timekeeper, logger: logger, nap: ServiceReport.nap(for: manager),
      observe: { observation in
        log(observation)
        report.note(observation)
      })
    let patience = Task { await report.readyAtLatest() }
    defer { patience.cancel() }
    try await service.run(until: stop, time: Host.timekeeper, willStop: { report.stopping() })
  }
}
