package import ArgumentParser

/// `settled`: the daemon and its own commands.
package struct SettledCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "settled",
    abstract: "Settle timed work, such as races and their prizes, with all state in PostgreSQL.",
    version: VersionCommand.line,
    subcommands: [
      RunCommand.self, MigrateCommand.self, CheckConfigCommand.self, DemoCommand.self, VersionCommand.self,
    ])

  package init() {}
}
