import Foundation

/// The result of a program that ended on its own.
package struct Finished: Sendable {
  package let exit: SettledProcess.Exit
  package let output: String
  package let errors: String
}

extension SettledProcess {
  /// Runs `settled` to its end.
  package static func run(
    _ arguments: [String], _ environment: [String: String] = [:], within limit: Duration = .seconds(90)
  ) async throws -> Finished {
    try await SettledProcess(arguments, environment).finished(within: limit)
  }

  /// Runs `settlectl` to its end against this daemon.
  package func settlectl(_ arguments: String...) async throws -> Finished { try await settlectl(arguments) }

  package func settlectl(
    _ arguments: [String], program: String = SettledProcess.tool, within limit: Duration = .seconds(90)
  ) async throws -> Finished {
    try await SettledProcess(arguments, ["SETTLED_CONTROL_SOCKET": controlSocket], program: program)
      .finished(within: limit)
  }

  /// Members of this process's own group may do everything, where it is not root's anyway.
  package static let adminsAreOurs: [String: String] = {
    let own = getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) } ?? "root"
    return ["SETTLED_SOCKET_GROUP": own, "SETTLED_ADMINS_GROUP": own]
  }()

  /// Waits for its end.
  package func finished(within limit: Duration = .seconds(90)) async throws -> Finished {
    let exit = try await exit(within: limit)
    return Finished(exit: exit, output: output.text, errors: errors.text)
  }

  /// Starts a daemon on a database, under a name, with sockets of its own.
  package static func daemon(
    _ database: SettledDatabase, node: String, _ environment: [String: String] = [:],
    program: String = SettledProcess.program
  ) throws -> SettledProcess {
    try daemon(url: database.url(.daemon), node: node, environment, program: program)
  }

  package static func daemon(
    url: String, node: String, _ environment: [String: String] = [:], program: String = SettledProcess.program
  ) throws -> SettledProcess {
    let directory = try ScratchDirectory()
    let own = [
      "SETTLED_DATABASE_URL": url, "SETTLED_NODE": node, "SETTLED_STATE_DIRECTORY": directory.path,
      "SETTLED_CONTROL_SOCKET": directory.path + "/control.sock",
      "SETTLED_HEALTH_SOCKET": directory.path + "/health.sock",
    ]
    return try SettledProcess(
      ["run"], environment.merging(own) { given, _ in given }, program: program, scratch: directory)
  }
}
