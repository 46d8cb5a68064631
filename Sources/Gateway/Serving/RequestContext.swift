import ControlAPI
import HTTPServing
import HTTPTypes

/// The facts about a request from its head on, for its answer, its line in the log, and the metrics.
struct RequestContext: Sendable {
  let head: RequestHead
  /// As the client sent it, or made.
  let id: String
  let began: Duration
  /// The system whose words errors are written in.
  var system: System
  /// `/v1/users/:id`; nil where no route was found.
  var pattern: String?
  /// The caller, for the log.
  var identity: String?
  /// Whether a token was sent, good or not.
  let hasToken: Bool

  init(_ head: RequestHead, _ surroundings: Surroundings) {
    self.head = head
    began = surroundings.now()
    let sent = head.fields[values: .requestID]
    if sent.count == 1, ControlDefaults.isRequestId(sent[0]) {
      id = sent[0]
    } else {
      id = surroundings.randomBytes(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    system = System.nearest(to: head.path)
    hasToken = head.fields[.authorization] != nil
  }

  var isHead: Bool { head.method == "HEAD" }

  /// HEAD is answered as GET is.
  var method: String { isHead ? "GET" : head.method }
}

extension HTTPField.Name {
  static let requestID = known("X-Request-Id")
  static let idempotencyKey = known("Idempotency-Key")
  static let forwardedFor = known("X-Forwarded-For")
  static let link = known("Link")

  private static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("not a header's name: \(name)") }
    return name
  }
}
