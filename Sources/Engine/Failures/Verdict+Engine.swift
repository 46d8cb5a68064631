package import Postgres

extension Verdict {
  /// The verdict on any error; `item` for one that comes from neither the database nor the engine.
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
    // A database with a wrong clock counts as unreachable.
    case .clock: .connection
    case .locked: .contention
    // Another node may not be missing it.
    case .missing: .resource
    case .call: .item
    case .schemaOlder, .schemaEdited, .schemaNewer, .notAllowed, .notOurs, .realClock, .encoding, .replicaRole,
      .damaged, .inTheWay, .doubles, .nameTaken:
      .installation
    }
  }
}
