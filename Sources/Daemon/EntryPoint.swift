import ArgumentParser
import ControlAPI
package import Engine
import Glibc

/// Runs the command line, with a daemon that is composed of these modules, and ends the process with its exit code.
package func runSettled(
  modules: @Sendable (Configuration) -> [any Module] = { Modules.all($0) }
) async -> Never {
  do {
    var command = try SettledCommand.parseAsRoot()
    if let command = command as? RunCommand {
      try await command.run(modules)
    } else if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
    exit(ExitCode.success.rawValue)
  } catch let error as Exit {
    let lines = error.description.unicodeScalars.split(separator: "\n").map { "settled: \(String($0).printable)\n" }
    StandardErrorLog.write(lines.joined())
    exit(error.code.rawValue)
  } catch {
    SettledCommand.exit(withError: error)
  }
}
