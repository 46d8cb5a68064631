import ArgumentParser
import HostProcess

struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config", abstract: "Check the configuration without using it.")

  @OptionGroup var options: ConfigurationOptions

  func run() async throws {
    let configuration = try options.read()
    StandardError.warn(configuration.warnings, program: VersionCommand.program)
    print("the configuration is valid (node \(configuration.node), state in \(configuration.stateDirectory))")
  }
}
