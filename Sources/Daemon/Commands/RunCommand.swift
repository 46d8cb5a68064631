import HostClock
import Operations
import HostProcess
import ArgumentParser
import Glibc
import ServiceManager

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the daemon in the foreground until SIGTERM or SIGINT.")

  @OptionGroup var options: ConfigurationOptions

  func run() async throws { try await run { Modules.all($0) } }

  func run(_ compose: (Configuration) -> [any Module]) async throws {
    let manager = ServiceManager(environment: Host.environment, pid: getpid())
    let configuration = try options.read()
    let modules = compose(configuration)
    let log = LiveLog(manager, level: configuration.logLevel, records: modules.flatMap(\.records))
    try await DaemonProcess(
      options: options, configuration: configuration, modules: modules, manager: manager, log: log,
      time: Host.timekeeper
    ).run()
  }
}
