import ControlAPI
import HTTPRouting
import HTTPServing
import HTTPTypes

extension Response {
  /// A problem, like every other refusal of these sockets.
  static func refusal(_ refusal: Refusal) -> Response {
    var response = problem(Problem(refusal))
    if refusal == .tooManyConnections { response.fields[.retryAfter] = "1" }
    return response
  }
}

extension Problem {
  fileprivate init(_ refusal: Refusal) {
    switch refusal {
    case .notHTTP: self.init(400, rule: Rule.head, "this is not an HTTP/1.1 request")
    case .headTooLarge: self.init(431, rule: Rule.head, "the request head is too large")
    case .bodyCutOff:
      self.init(400, rule: Rule.body, "the body is shorter than declared, or does not match the request head")
    case .bodyLate(let limit): self.init(408, rule: Rule.timeout, "the body did not arrive within \(limit)")
    case .bodyTooLarge(let bytesMax): self.init(413, rule: Rule.body, "the body can have at most \(bytesMax) bytes")
    case .bodiesTooLarge:
      self.init(503, rule: Rule.busy, "other request bodies are using all the memory reserved for bodies")
    case .answersNotTaken: self.init(503, rule: Rule.busy, "other clients have not read their large responses yet")
    case .tooManyConnections:
      self.init(
        503, rule: Rule.connections, "the daemon has too many connections; try again later")
    case .notDone(let limit): self.init(503, rule: Rule.timeout, "the request was not completed within \(limit)")
    }
  }
}
