package import ArgumentParser
import ControlAPI
import Glibc

/// Runs the command line of these commands and ends the process with its exit code.
package func runSettlectl(_ root: any AsyncParsableCommand.Type = SettlectlCommand.self) async -> Never {
  do {
    if let line = Suggestion.line(for: Array(CommandLine.arguments.dropFirst()), root: root) {
      throw ToolExit(code: .usage, line: line)
    }
    var command = try root.parseAsRoot()
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
    exit(ControlExit.success.rawValue)
  } catch let end as ToolExit {
    if let line = end.line { say("settlectl: \(Printable.line(line))\n") }
    exit(end.code.rawValue)
  } catch {
    root.exit(withError: error)
  }
}

/// One write to standard error; a failure of it cannot be reported.
func say(_ text: String) {
  let bytes = Array(text.utf8)
  _ = write(2, bytes, bytes.count)
}

/// An end of the program, with a line for the person who started it if there is more to report.
struct ToolExit: Error {
  let code: ControlExit
  let line: String?
}
