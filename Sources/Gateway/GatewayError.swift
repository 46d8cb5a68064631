/// Why a request is not answered as asked: a status, the rule, and words that are safe to show.
package struct GatewayError: Error, Sendable, Equatable {
  package var status: Int
  /// Stable, in kebab-case.
  package var rule: String
  package var message: String
  /// Seconds.
  package var retryAfter: Int?
  /// Further members that the rule's detail has, as JSON, by name.
  package var more: [String: String] = [:]
  /// Methods that the path allows, with 405.
  package var allow: [String] = []
  /// For the journal, never for the caller.
  package var hidden: String?

  package init(_ status: Int, rule: String, _ message: String, retryAfter: Int? = nil, hidden: String? = nil) {
    self.status = status
    self.rule = rule
    self.message = message
    self.retryAfter = retryAfter
    self.hidden = hidden
  }

  /// A parameter or member is at fault, and the rule is its name.
  package static func parameter(_ name: String, _ problem: String) -> GatewayError {
    GatewayError(400, rule: name, "\(name) \(problem)")
  }

  /// The thing that was asked for does not exist: the rule is its name.
  package static func missing(_ thing: String) -> GatewayError {
    GatewayError(404, rule: thing, "there is no such \(thing)")
  }

  /// Something else is in the way; the same request may succeed soon.
  package static func tryLater(
    _ message: String, rule: String = "unavailable", after seconds: Int = 1, hidden: String? = nil
  ) -> GatewayError {
    GatewayError(503, rule: rule, message, retryAfter: seconds, hidden: hidden)
  }

  package static func tooMany(_ message: String, after seconds: Int) -> GatewayError {
    GatewayError(429, rule: "rate", message, retryAfter: seconds)
  }

  /// A bug of the gateway: the caller gets no details.
  package static func bug(_ hidden: String) -> GatewayError {
    GatewayError(500, rule: "bug", "this request failed because of a bug", hidden: hidden)
  }

  static let tokenMissing = GatewayError(
    401, rule: "token-missing", "this requires an Authorization header with a token")

  static func badToken(_ why: String) -> GatewayError { GatewayError(401, rule: "token", why) }

  static func identity(_ identity: Identity) -> GatewayError {
    GatewayError(403, rule: "identity", "the token has no \(identity.rawValue)")
  }

  static let notSelf = GatewayError(403, rule: "self", "this belongs to another user")

  static func role(_ role: Role) -> GatewayError {
    GatewayError(403, rule: "role", "this requires the \(role.rawValue) role")
  }

  static let path = GatewayError(404, rule: "path", "this path does not exist")

  static let encoding = GatewayError(400, rule: "encoding", "the path or query is not percent-encoded UTF-8")

  static func method(_ method: String) -> GatewayError {
    GatewayError(405, rule: "method", "\(method.prefix(20)) is not allowed here")
  }

  static func json(_ problem: String) -> GatewayError { GatewayError(400, rule: "json", problem) }
}
