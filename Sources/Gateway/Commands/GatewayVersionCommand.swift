import ArgumentParser
import ControlAPI

struct GatewayVersionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the program's version.")

  static let line = "\(GatewayCommand.program) \(Version.current)"

  func run() async throws { print(Self.line) }
}
