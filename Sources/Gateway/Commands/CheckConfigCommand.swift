import ArgumentParser
import HTTPServing
import HostProcess
import Logging

struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config", abstract: "Check the configuration, keys and issuers, without using them.")

  @OptionGroup var options: GatewayOptions

  func run() async throws {
    let configuration = try options.read()
    StandardError.warn(configuration.warnings, program: GatewayCommand.program)
    let logger = Logger(label: GatewayCommand.program) { _ in StandardErrorLog(level: .warning) }
    _ = try await GatewayService.Parts.configured(configuration, .host, logger)
    print("the configuration is valid (listening on \(configuration.listen.name))")
  }
}
