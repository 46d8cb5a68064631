package import ArgumentParser

/// `settled`: the daemon and what belongs to it.
package struct SettledCommand: AsyncParsableCommand {
  package static let configuration: CommandConfiguration = composed(with: [])

  package init() {}

  /// The program with commands that are no part of the daemon: the executable adds the demo, which brings its own
  /// PostgreSQL.
  package static func composed(with more: [any ParsableCommand.Type]) -> CommandConfiguration {
    CommandConfiguration(
      commandName: "settled",
      abstract: "Settles things on time: races and their prizes, with all state in PostgreSQL.",
      version: VersionCommand.line,
      subcommands: [RunCommand.self, MigrateCommand.self, CheckConfigCommand.self] + more + [VersionCommand.self])
  }
}
