import Engine
import HTTPServing
import HostProcess

extension Exit {
  /// The exit code of an engine error (ControlServer.docc/ExitCodes.md).
  init(_ error: EngineError) {
    let code: ExitCode =
      switch error.code {
      case .schemaOlder, .nameTaken, .locked, .call, .missing: .tryLater
      case .schemaEdited: .bug
      case .schemaNewer: .newerSchema
      case .notAllowed, .notOurs: .denied
      case .encoding, .replicaRole: .configuration
      case .realClock, .clock, .doubles, .inTheWay, .damaged: .refused
      }
    self.init(code, error.description)
  }

  init(_ error: ServingError) {
    let code: ExitCode =
      switch error.code {
      case .inUse: .tryLater
      case .badPath, .badAddress, .badDescriptor, .noGroup: .configuration
      case .system: .unavailable
      }
    self.init(code, error.description)
  }
}
