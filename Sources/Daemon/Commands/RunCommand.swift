import ArgumentParser
import Glibc
import ServiceManager

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the daemon in the foreground until SIGTERM or SIGINT.")

  @OptionGroup var options: ConfigurationOptions

  func run() async throws {
    let manager = ServiceManager(environment: Host.environment, pid: getpid())
    let configuration = try options.read()
    let log = LiveLog(manager, level: configuration.logLevel)
    try await DaemonProcess(
      options: options, configuration: configuration, manager: manager, log: log, time: Host.timekeeper
    ).run()
  }
}
