import TextCoding

/// Why a request failed: `application/problem+json` (RFC 9457).
package struct Problem: Sendable, Equatable, Codable {
  /// Rules that the server itself names; the others are names of parameters and of the commands' rules.
  package enum Rule {
    package static let path = "path"
    package static let method = "method"
    package static let json = "json"
    package static let key = "key"
    package static let body = "body"
    package static let head = "head"
    package static let level = "level"
    package static let requestId = "request-id"
    package static let timeout = "timeout"
    package static let connections = "connections"
    package static let busy = "busy"
  }

  package static let contentType = "application/problem+json"

  /// `settled:RULE`: stable, and not an address.
  package let type: String
  package let title: String
  package let status: Int
  package let detail: String
  package let rule: String
  /// The position of the mistake in the parameter's text, counted in characters from 1.
  package let position: Int?

  package init(_ status: Int, rule: String, position: Int? = nil, _ detail: String) {
    type = "settled:" + rule
    title = Self.title(of: status)
    self.status = status
    self.detail = detail
    self.rule = rule
    self.position = position
  }

  package var json: String {
    """
    {"type":\(JSONText.quoted(type)),"title":\(JSONText.quoted(title)),"status":\(status),\
    "detail":\(JSONText.quoted(detail)),"rule":\(JSONText.quoted(rule))\(position.map { ",\"position\":\($0)" } ?? "")}
    """
  }

  private static func title(of status: Int) -> String {
    switch status {
    case 400: "Bad request"
    case 401: "Not authenticated"
    case 402: "Payment required"
    case 403: "Denied"
    case 404: "Not found"
    case 405: "Method not allowed"
    case 408: "Request timed out"
    case 409: "Refused"
    case 413: "Body too large"
    case 422: "Configuration not valid"
    case 429: "Too many requests"
    case 431: "Header too large"
    case 501: "Not available"
    case 503: "Try again later"
    default: "Internal error"
    }
  }
}
