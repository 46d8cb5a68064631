import ArgumentParser
import ControlAPI
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
    let lines = error.description.unicodeScalars.split(separator: "\n").map { "settled: \(String($0).printable)\n" }
    StandardErrorLog.write(lines.joined())
    exit(error.code.rawValue)
  } catch {
    SettledCommand.exit(withError: error)
  }
}
