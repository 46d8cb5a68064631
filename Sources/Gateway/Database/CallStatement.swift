import Postgres

/// The one statement of a request.
enum CallStatement {
  /// The values that make a repeated request safe: both its texts and the digest of the request.
  struct Key: Sendable {
    let scope: String
    let key: String
    let fingerprint: String
  }

  /// `expression` is the call; its text is the answer. A token of an account is checked first, in the same transaction;
  /// CASE and COALESCE evaluate in their order.
  static func make(_ expression: Statement, caller: Caller?, key: Key?) -> Statement {
    var inner = expression
    if let key {
      inner = """
        coalesce(gateway.earlier_answer(\(key.scope), \(key.key), \(key.fingerprint)), \
        gateway.keep_answer(\(key.scope), \(key.key), \(key.fingerprint), \(fragment: inner)))
        """
    }
    if let caller, let account = caller.account, let epoch = caller.epoch {
      inner = "CASE WHEN gateway.is_current(\(account), \(epoch)) THEN \(fragment: inner) END"
    }
    return "SELECT (\(fragment: inner))::text"
  }
}
