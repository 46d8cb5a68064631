/// What a program that ended by itself had to say.
package struct Finished: Sendable {
  package let exit: SettledProcess.Exit
  package let output: String
  package let errors: String
}

extension SettledProcess {
  /// Runs `settled` to its end.
  package static func run(
    _ arguments: [String], _ environment: [String: String] = [:], within limit: Duration = .seconds(20)
  ) async throws -> Finished {
    let process = try SettledProcess(arguments, environment)
    let exit = try await process.exit(within: limit)
    return Finished(exit: exit, output: process.output.text, errors: process.errors.text)
  }

  /// Starts a daemon on a database, under a name.
  package static func daemon(
    _ database: SettledDatabase, node: String, _ environment: [String: String] = [:]
  ) throws -> SettledProcess {
    try SettledProcess(
      ["run"],
      environment.merging(["SETTLED_DATABASE_URL": database.url(.daemon), "SETTLED_NODE": node]) { given, _ in given })
  }
}
