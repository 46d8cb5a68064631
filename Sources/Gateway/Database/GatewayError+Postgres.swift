import Postgres

extension GatewayError {
  /// The meaning of a database error for the caller. The text is shown only where it is ours.
  init(_ error: PostgresError) {
    if let refusal = Self.refusal(error) {
      self = refusal
      return
    }
    let state = error.sqlState ?? ""
    let isPassing = ["08", "40", "53", "55", "57"].contains(state.prefix(2)) || state == "25006"
    switch error.code {
    case .poolExhausted: self = .tryLater("too many requests wait for the database", rule: "busy")
    case .timeout, .cancelled: self = .tryLater("the database took too long", hidden: error.description)
    case .connection, .closed: self = .tryLater("the database is away", hidden: error.description)
    case _ where isPassing:
      self = .tryLater("the database cannot do this at the moment", hidden: error.description)
    default: self = .bug(error.description)
    }
  }

  /// Errors that our functions raise: the status stands in the SQLSTATE, the rule in DETAIL.
  private static func refusal(_ error: PostgresError) -> GatewayError? {
    guard let state = error.sqlState, state.count == 5, state.hasPrefix("SD"), let status = Int(state.dropFirst(2)),
      [400, 401, 402, 403, 404, 409, 429, 503].contains(status)
    else { return nil }
    let members = error.detail.flatMap { try? StrictJSON(Array($0.utf8)) }?.members ?? [:]
    let rule = members["rule"]?.text ?? (status == 401 ? "token" : "refused")
    var refusal = GatewayError(status, rule: rule, error.message)
    refusal.more = members.filter { $0.key != "rule" }.mapValues(\.json)
    if status == 503 { refusal.retryAfter = 60 }
    if status == 429 { refusal.retryAfter = max(1, members["retryAfter"]?.integer.map { Int($0) } ?? 60) }
    return refusal
  }
}
