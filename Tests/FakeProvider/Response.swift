import FoundationEssentials
import TextCoding

/// The reply to a call, and the way it is sent.
struct ProviderResponse {
  enum Delivery {
    case whole
    /// Nothing is ever sent.
    case never
    /// The connection is reset instead.
    case reset
    /// Half of the body, and then the end of the connection.
    case cut
    /// A body without an end.
    case endless
  }

  struct Rotation {
    let athlete: Int64
    let at: Int64
  }

  var status: Int
  var body: String
  var contentType = "application/json; charset=utf-8"
  var headers: [(name: String, value: String)] = []
  var delivery = Delivery.whole
  var delayMs = 0
  /// The part of the reply's content that a fault has left.
  var isIntact = true
  /// The windows that it tells to be spent.
  var notices: Set<ProviderRateLimits.Notice> = []
  /// The provider's own call that comes before the answer: `World.complete` then says what it is.
  var callback: OutgoingCall?
  /// The refresh token that was replaced by what this answer says.
  var rotation: Rotation?

  init(_ status: Int, body: String) {
    self.status = status
    self.body = body
  }

  init(_ status: Int, _ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      self.init(status, body: String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  static let done = ProviderResponse(200, body: "{}")

  /// A refusal in the provider's words.
  static func refusal(_ status: Int, _ message: String, _ resource: String, _ field: String, _ code: String)
    -> ProviderResponse
  {
    let error: JSONValue = ["resource": .text(resource), "field": .text(field), "code": .text(code)]
    let value: JSONValue = ["message": .text(message), "errors": [error]]
    return ProviderResponse(status, value)
  }

  static let notFound = refusal(404, "Record Not Found", "Resource", "path", "not found")
  static let forbidden = refusal(403, "Forbidden", "Athlete", "limit", "exceeded")
  static let unknownClient = refusal(400, "Bad Request", "Application", "client_id", "invalid")
  static let deniedClient = refusal(401, "Authorization Error", "Application", "client_secret", "invalid")
  static let limited = refusal(429, "Rate Limit Exceeded", "Application", "rate limit", "exceeded")

  /// The same with these texts in a header and in the body: in a member of its own where that is JSON.
  func repeating(_ texts: [String]) -> ProviderResponse {
    var answer = self
    let text = texts.joined(separator: " ")
    answer.headers.append(("X-Echo", text))
    if body.hasSuffix("}"), status >= 400 {
      let echo = ProviderResponse(status, JSONValue.text(text)).body
      answer.body = "\(body.dropLast()),\"echo\":\(echo)}"
    } else {
      answer.body += " " + text
    }
    return answer
  }

  /// The change that a fault makes to a reply whose work is done.
  func damaged(by fault: Fault) -> ProviderResponse {
    var answer = self
    answer.isIntact = false
    switch fault {
    case .resetAfter: answer.delivery = .reset
    case .truncate: answer.delivery = .cut
    case .tooLarge: answer.delivery = .endless
    case .garbage: (answer.status, answer.body) = (200, "{\"token_type\": \"Bearer\", \"access")
    case .wrongType:
      (answer.status, answer.body) = (200, "<html><body><h1>We will be back soon</h1></body></html>")
      answer.contentType = "text/html; charset=utf-8"
    case .status503After: (answer.status, answer.body) = (503, "{\"message\":\"Service Unavailable\"}")
    case .slow, .hang, .resetBefore, .status500: answer.isIntact = true
    }
    return answer
  }
}
