package import Postgres

/// What becomes of an item that failed alone, without any other in its transaction.
///
/// Source: Engine.docc/Failures.md, "What each verdict does".
package enum ItemFate: String, Sendable {
  /// A failed attempt is counted; at the fifth the item is quarantined.
  case counts
  /// No attempt is counted: it is tried again alone, and batches leave it out until then.
  case waits
  /// An attempt is counted where other items succeed. Otherwise it is the server that fails, and the job pauses.
  case doubtful
  /// The same, but no attempt is counted: where other items succeed, it waits.
  case spared
  /// The run ends, because every other item would meet the same.
  case stops

  package init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .item: .counts
      case .contention: .waits
      case .timeout, .installation: .doubtful
      case .resource: .spared
      case .connection, .caller: .stops
      }
  }

  package init(of error: any Error) {
    self.init(Verdict(of: error))
  }
}
