package import Postgres

extension CommandError {
  /// Errors of the contract functions name their rule; others become "try again later" or a bug.
  package static func of(_ error: PostgresError) -> CommandError {
    if let refusal = refusal(error) { return refusal }
    switch error.verdict {
    case .caller where error.code == .closed:
      return CommandError(.unavailable, rule: "stopping", "this node is stopping: try again once it is running")
    case .caller: return CommandError(.unavailable, rule: "database", "the statement was cancelled: \(error)")
    case .connection, .contention, .resource, .timeout:
      return CommandError(.unavailable, rule: "database", "the database is not responding: \(error)")
    case .installation where error.isOfSharedSession: return CommandError(.unavailable, rule: "proxy", "\(error)")
    case .item where error.isTooLarge:
      return CommandError(.refused, rule: "size", "the response would be too large: request less data (\(error))")
    // settled's functions raise no other state: a trigger or function of the installation raised this error, with its
    // own text.
    case .item where error.isRaisedByApplication:
      return CommandError(
        .refused, rule: "database",
        "the database rejected the request: \(error.message) (\(error.sqlState ?? "no SQLSTATE"))")
    case .item, .installation: return CommandError(.bug, rule: "bug", "\(error)")
    }
  }

  /// The error of a rule; nil if no rule raised it.
  private static func refusal(_ error: PostgresError) -> CommandError? {
    let kind: Kind
    switch error.refusalStatus {
    case 400: kind = .usage
    case 404: kind = .missing
    case 503: kind = .unavailable
    case 402, 403, 409: kind = .refused
    default: return nil
    }
    return CommandError(kind, rule: rule(error) ?? "error", error.message)
  }

  private static func rule(_ error: PostgresError) -> String? { error.detail.flatMap(ruleName) }

  /// The rule in an error's DETAIL, `{"rule": "cutoff"}`.
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
