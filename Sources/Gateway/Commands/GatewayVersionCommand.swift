import ArgumentParser
import ControlAPI

struct GatewayVersionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of the program.")

  static let line = "\(GatewayCommand.program) \(Version.current)"

  func run() async throws { print(Self.line) }
}
