package import Postgres

/// What becomes of a run that met an error: nothing of its effect was committed.
///
/// Source: Engine.docc/LifeOfATick.md, "Failure".
package enum RunFate: String, Sendable {
  /// Its row becomes planned again.
  case again
  /// For good: the next tick is the next attempt.
  case fails

  /// An operators' function may raise any error, also one that looks as if it passed: so it is begun again only so
  /// often. Its time-out is a part of its definition.
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
