package import Postgres

extension Verdict {
  /// The verdict of any error; of one that is neither the database's nor the engine's, `item`.
  package init(of error: any Error) {
    self =
      switch error {
      case let error as PostgresError: error.verdict
      case let error as EngineError: error.verdict
      case is CancellationError: .caller
      default: .item
      }
  }
}

extension EngineError {
  package var verdict: Verdict {
    switch code {
    // A database whose clock is wrong is as good as away.
    case .clock: .connection
    case .locked: .contention
    // Another node may have it.
    case .missing: .resource
    case .call: .item
    case .schemaOlder, .schemaEdited, .schemaNewer, .notAllowed, .notOurs, .realClock, .encoding, .replicaRole,
      .damaged, .inTheWay, .doubles, .nameTaken:
      .installation
    }
  }
}
