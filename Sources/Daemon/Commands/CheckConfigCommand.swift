import ArgumentParser
import HostProcess

struct CheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config", abstract: "Check the configuration and the database.")

  @OptionGroup var options: ConfigurationOptions

  @Flag(help: "Skip the database.")
  var offline = false

  func run() async throws {
    let configuration = try options.read()
    StandardError.warn(configuration.warnings, program: VersionCommand.program)
    if !offline {
      StandardError.warn(try await DaemonDatabaseCheck.warnings(configuration), program: VersionCommand.program)
    }
    print("the configuration is valid (node \(configuration.node), state in \(configuration.stateDirectory))")
  }
}
