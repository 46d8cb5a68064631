import Postgres

extension GatewayError {
  /// The meaning of a database error for the caller. The text is shown only where it is ours.
  init(_ error: PostgresError) {
    if let refusal = Self.refusal(error) {
      self = refusal
      return
    }
    switch error.verdict {
    case .resource where error.code == .poolExhausted:
      self = .tryLater("too many requests are waiting for the database", rule: "busy")
    case .timeout: self = .tryLater("the database took too long to respond", hidden: error.description)
    case .connection: self = .tryLater("the database is unreachable", hidden: error.description)
    case .contention, .resource, .caller:
      self = .tryLater("the database cannot handle this request at the moment", hidden: error.description)
    case .item, .installation: self = .bug(error.description)
    }
  }

  /// Errors that our functions raise: the status stands in the SQLSTATE, the rule in DETAIL.
  private static func refusal(_ error: PostgresError) -> GatewayError? {
    guard let status = error.refusalStatus, [400, 401, 402, 403, 404, 409, 429, 503].contains(status) else {
      return nil
    }
    let members = error.detail.flatMap { try? StrictJSON(Array($0.utf8)) }?.members ?? [:]
    let rule = members["rule"]?.text ?? (status == 401 ? "token" : "refused")
    var refusal = GatewayError(status, rule: rule, error.message)
    refusal.more = members.filter { $0.key != "rule" }.mapValues(\.json)
    if status == 503 { refusal.retryAfter = 60 }
    if status == 429 { refusal.retryAfter = max(1, members["retryAfter"]?.integer.map { Int($0) } ?? 60) }
    return refusal
  }
}
