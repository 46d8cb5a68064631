import TestSupport

extension DashboardProcess {
  /// Sends bytes as they are, and returns all that comes until the other end closes or is silent for two seconds.
  func raw(_ text: String) async throws -> String { try await RawExchange.send(text, port: port) }

  /// A request of raw HTTP with the fields of the operator's own page, but for those given.
  func request(_ method: String, _ target: String, _ fields: [(String, String)], body: String = "") -> String {
    var head = "\(method) \(target) HTTP/1.1\r\n"
    let own = [("Host", "127.0.0.1:\(port)"), ("Authorization", "Bearer \(token)"), ("Connection", "close")]
    for (name, value) in own where !fields.contains(where: { $0.0 == name }) { head += "\(name): \(value)\r\n" }
    for (name, value) in fields where !value.isEmpty { head += "\(name): \(value)\r\n" }
    return head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
  }
}
