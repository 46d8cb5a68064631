import ArgumentParser

/// `settled-gateway`.
struct GatewayCommand: AsyncParsableCommand {
  static let program = "settled-gateway"

  static let configuration = CommandConfiguration(
    commandName: program,
    abstract: "Answers the HTTP endpoints of the systems that settled settles.",
    version: GatewayVersionCommand.line,
    subcommands: [
      GatewayRunCommand.self, GatewayCheckConfigCommand.self, TokenCommand.self, GatewayVersionCommand.self,
    ])
}
