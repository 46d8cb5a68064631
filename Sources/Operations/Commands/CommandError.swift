/// Why a command failed; becomes `application/problem+json`.
package struct CommandError: Error, Sendable, CustomStringConvertible {
  package enum Kind: Int, Sendable {
    /// The request is malformed: 400 (settlectl exits 64).
    case usage = 400
    /// The caller's level does not allow it: 403 (77).
    case denied = 403
    /// The requested object does not exist: 404 (1).
    case missing = 404
    /// A rule or a state forbids it: 409 (1).
    case refused = 409
    /// The new configuration is not valid: 422 (78).
    case configuration = 422
    /// A bug: 500 (70).
    case bug = 500
    /// Try again later: 503 (75).
    case unavailable = 503
  }

  package let kind: Kind
  /// The name of the rule: `race`, `status`, `clock`, `request-id`, ...
  package let rule: String
  package let description: String
  /// The position of the mistake in the parameter's text, counted in characters from 1.
  package let position: Int?

  package init(_ kind: Kind, rule: String, position: Int? = nil, _ description: String) {
    self.kind = kind
    self.rule = rule
    self.position = position
    self.description = description
  }
}
