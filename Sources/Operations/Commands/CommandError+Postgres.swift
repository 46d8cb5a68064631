package import Postgres

extension CommandError {
  /// Errors that the contract functions raise name their rule; others become "try later" or a bug.
  package static func of(_ error: PostgresError) -> CommandError {
    if error.code == .closed {
      return CommandError(.unavailable, rule: "stopping", "this node stops: ask again when it runs")
    }
    if error.isConnectionProblem || error.isContention || error.isResource || error.code == .poolExhausted
      || error.code == .timeout
    {
      return CommandError(.unavailable, rule: "database", "the database does not answer now: \(error)")
    }
    if error.isOfSharedSession { return CommandError(.unavailable, rule: "proxy", "\(error)") }
    if error.sqlState == "54000" {
      return CommandError(.refused, rule: "size", "the answer would be too large: ask for less (\(error))")
    }
    let rule = error.detail.flatMap(ruleName) ?? "error"
    switch error.sqlState {
    case "SD400": return CommandError(.usage, rule: rule, error.message)
    case "SD404": return CommandError(.missing, rule: rule, error.message)
    case "SD503": return CommandError(.unavailable, rule: rule, error.message)
    case "SD402", "SD403", "SD409": return CommandError(.refused, rule: rule, error.message)
    // settled's functions raise no other state: a trigger or function of the installation refuses, in its own words.
    case let state? where error.isRaisedByApplication:
      return CommandError(.refused, rule: "database", "the database refuses: \(error.message) (\(state))")
    default: return CommandError(.bug, rule: "bug", "\(error)")
    }
  }

  /// The rule in a refusal's DETAIL, `{"rule": "cutoff"}`.
  private static func ruleName(_ detail: String) -> String? {
    guard let key = detail.range(of: "\"rule\"") else { return nil }
    let parts = detail[key.upperBound...].split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 2 ? String(parts[1]) : nil
  }
}

extension StringProtocol {
  /// The first occurrence of a text: the standard library alone has no such search for strings.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
