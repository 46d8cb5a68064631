import ArgumentParser
import Logging

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the daemon in the foreground until SIGTERM or SIGINT.")

  @OptionGroup var options: ConfigurationOptions

  func run() async throws {
    let configuration = try options.read()
    let stop = StopSignal.stream()
    var logger = Logger(label: "settled") { _ in StandardErrorLog(level: configuration.logLevel) }
    logger.logLevel = configuration.logLevel
    let log = ObservationLog(logger)
    let service = Service(configuration, time: Host.timekeeper, logger: logger, observe: { log($0) })
    try await service.run(until: stop, time: Host.timekeeper)
  }
}
