import Postgres

/// The one statement of a request.
enum CallStatement {
  /// The values that make a repeated request safe: both its texts and the digest of the request.
  struct Key: Sendable {
    let scope: String
    let key: String
    /// Of the request's text.
    let fingerprint: String
    /// Of the value that it writes, which another text may write as well; nil where it has no canonical form.
    let value: String?
    /// Who the caller is, as `account:17`: the answer is erased with any of them.
    let persons: [String]
  }

  /// `expression` is the call; its text is the answer. A token of an account is checked first, in the same transaction;
  /// CASE and COALESCE evaluate in their order.
  static func make(_ expression: Statement, caller: Caller?, key: Key?) -> Statement {
    var inner = expression
    if let key {
      inner = """
        coalesce(gateway.earlier_answer(\(key.scope), \(key.key), \(key.fingerprint), \(key.persons), \
        \(key.value)), \
        gateway.keep_answer(\(key.scope), \(key.key), \(key.fingerprint), \(fragment: inner)))
        """
    }
    if let caller, let account = caller.account, let epoch = caller.epoch {
      inner = "CASE WHEN gateway.is_current(\(account), \(epoch)) THEN \(fragment: inner) END"
    }
    return "SELECT (\(fragment: inner))::text"
  }
}
