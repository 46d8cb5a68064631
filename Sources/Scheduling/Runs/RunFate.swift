package import Postgres

/// The fate of a run that failed with an error: nothing of its effect was committed.
///
/// Source: Engine.docc/LifeOfATick.md, "Failure".
package enum RunFate: String, Sendable {
  /// Its row becomes planned again.
  case again
  /// Permanent: the next tick is the next attempt.
  case fails

  /// An operator's function may raise any error, even one that looks transient: so its restarts are limited. Its
  /// time-out is a part of its definition.
  package init(_ verdict: Verdict, attempt: Int64, isOperators: Bool) {
    let isLast = attempt >= OccurrenceStatements.attemptsMax
    self =
      switch verdict {
      case .contention, .connection, .resource: isOperators && isLast ? .fails : .again
      case .timeout: isOperators || isLast ? .fails : .again
      case .item, .installation, .caller: .fails
      }
  }
}
