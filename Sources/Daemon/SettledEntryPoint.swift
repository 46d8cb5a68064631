package import Operations
package import ArgumentParser
import Glibc
import HostProcess

/// Runs the command line of a program (`SettledCommand.configuration`), with a daemon that is composed of these
/// modules, and ends the process with its exit code.
package func runSettled<Program: ParsableCommand>(
  _ program: Program.Type = SettledCommand.self,
  modules: @Sendable (Configuration) -> [any Module] = { Modules.all($0) }
) async -> Never {
  do {
    var command = try Program.parseAsRoot()
    if let command = command as? RunCommand {
      try await command.run(modules)
    } else if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
    exit(HostProcess.ExitCode.success.rawValue)
  } catch let error as Exit {
    error.end(VersionCommand.program)
  } catch {
    Program.exit(withError: error)
  }
}
