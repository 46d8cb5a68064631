import ArgumentParser
import Glibc
import HTTPServing
import HostProcess

/// Runs the command line, and ends the process with its exit code.
package func runGateway() async -> Never {
  do {
    var command = try GatewayCommand.parseAsRoot()
    if var command = command as? any AsyncParsableCommand {
      try await command.run()
    } else {
      try command.run()
    }
    exit(HostProcess.ExitCode.success.rawValue)
  } catch let error as Exit {
    error.end(GatewayCommand.program)
  } catch {
    GatewayCommand.exit(withError: error)
  }
}

extension Exit {
  init(_ error: ServingError) {
    let code: HostProcess.ExitCode =
      switch error.code {
      case .inUse: .tryLater
      case .badPath, .badAddress, .badDescriptor, .noGroup: .configuration
      case .system: .unavailable
      }
    self.init(code, error.description)
  }
}
