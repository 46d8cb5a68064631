import HTTPServing

extension Refusal {
  /// Whether the work of the request continues to its end nevertheless, and records it.
  var isRecordedByItsWork: Bool {
    switch self {
    case .notDone, .answersNotTaken: true
    default: false
    }
  }
}

extension GatewayError {
  /// The refusals of the server itself.
  init(_ refusal: Refusal) {
    switch refusal {
    case .notHTTP: self.init(400, rule: "head", "this is not an HTTP/1.1 request")
    case .headTooLarge: self.init(431, rule: "head", "the request head is too large")
    case .bodyCutOff:
      self.init(400, rule: "body", "the body is shorter than declared, or does not match the request head")
    case .bodyLate(let limit): self.init(408, rule: "timeout", "the body did not arrive within \(limit)")
    case .bodyTooLarge(let bytesMax): self.init(413, rule: "body", "the body has more than \(bytesMax) bytes")
    case .bodiesTooLarge:
      self = .tryLater("other request bodies are using all the memory reserved for bodies", rule: "busy")
    case .answersNotTaken: self = .tryLater("other clients have not read their large responses yet", rule: "busy")
    case .tooManyConnections: self = .tryLater("the gateway has too many connections", rule: "busy")
    case .notDone(let limit): self = .tryLater("the request was not completed within \(limit)", rule: "timeout")
    }
  }
}
