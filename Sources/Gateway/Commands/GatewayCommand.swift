import ArgumentParser

/// `settled-gateway`.
struct GatewayCommand: AsyncParsableCommand {
  static let program = "settled-gateway"

  static let configuration = CommandConfiguration(
    commandName: program,
    abstract: "Serve HTTP endpoints for the apps that use settled.",
    version: GatewayVersionCommand.line,
    subcommands: [
      GatewayRunCommand.self, GatewayCheckConfigCommand.self, TokenCommand.self, GatewayVersionCommand.self,
    ])
}
