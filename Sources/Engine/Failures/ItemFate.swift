package import Postgres

/// The outcome for an item that failed alone, without another item in its transaction.
///
/// Source: Engine.docc/Failures.md, "What each verdict does".
package enum ItemFate: String, Sendable {
  /// A failed attempt is counted; at the fifth the item is quarantined.
  case counts
  /// No attempt is counted: it is retried alone, and batches leave it out until then.
  case waits
  /// An attempt is counted if other items succeed. Otherwise the server is at fault, and the job pauses.
  case doubtful
  /// The same, but no attempt is counted: if other items succeed, it waits.
  case spared
  /// The run ends, because every other item would fail in the same way.
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
