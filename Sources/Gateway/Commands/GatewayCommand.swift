import ArgumentParser
import ControlAPI

/// `settled-gateway`.
struct GatewayCommand: AsyncParsableCommand {
  static let program = "settled-gateway"

  static let configuration = CommandConfiguration(
    commandName: program,
    abstract: "Answers the HTTP endpoints of the systems that settled settles.",
    version: VersionCommand.line,
    subcommands: [RunCommand.self, CheckConfigCommand.self, TokenCommand.self, VersionCommand.self])
}

struct VersionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of the program.")

  static let line = "\(GatewayCommand.program) \(Version.current)"

  func run() async throws { print(Self.line) }
}
