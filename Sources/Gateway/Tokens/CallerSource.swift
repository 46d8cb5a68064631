/// A source of callers' identities.
package protocol CallerSource: Sendable {
  /// The caller that an Authorization header names; nil where there is no header.
  ///
  /// Throws where anything is wrong with it: the answer is 401 on every route, public ones included
  /// (Gateway.docc/Callers.md).
  func caller(of authorization: String?) async throws(TokenError) -> Caller?
}
