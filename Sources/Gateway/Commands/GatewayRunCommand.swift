import ArgumentParser
import Glibc
import HostProcess
import Logging
import ServiceManager

struct GatewayRunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run the gateway in the foreground until SIGTERM or SIGINT.")

  @OptionGroup var options: GatewayOptions

  func run() async throws {
    let configuration = try options.read()
    let manager = ServiceManager(environment: Host.environment, pid: getpid())
    let logger = Logger(label: GatewayCommand.program) { _ in
      JournalLog(manager, program: GatewayCommand.program, level: configuration.logLevel)
    }
    try await GatewayProcess(
      configuration: configuration, manager: manager, logger: logger, surroundings: .host
    ).run()
  }
}
