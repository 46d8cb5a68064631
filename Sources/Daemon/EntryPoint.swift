import ArgumentParser
import Glibc

/// Runs the command line and ends the process with its exit code.
package func runSettled() async -> Never {
  do {
    var command = try SettledCommand.parseAsRoot()
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
    exit(ExitCode.success.rawValue)
  } catch let error as Exit {
    let lines = error.description.split(separator: "\n").map { "settled: \($0)\n" }
    StandardErrorLog.write(lines.joined())
    exit(error.code.rawValue)
  } catch {
    SettledCommand.exit(withError: error)
  }
}
