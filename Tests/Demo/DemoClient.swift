import AsyncHTTPClient
import Engine
import FoundationEssentials
import HostProcess
import NIOCore
import NIOHTTP1

/// Calls the gateway as any app does.
struct DemoClient: Sendable {
  let url: String
  let time: Timekeeper

  /// A build without optimization takes ten seconds for a password on a busy machine, and others wait behind it.
  private static let patience: Duration = .seconds(300)

  /// Sends JSON, and returns the body of an answer of the class 2xx. A 503 is waited for as long as `patience`; any
  /// other answer is an error.
  @discardableResult
  func post(_ path: String, _ body: String, token: String? = nil, key: String? = nil) async throws -> Data {
    var request = HTTPClientRequest(url: "\(url)/\(path)")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    request.body = .bytes(ByteBuffer(string: body))
    let began = time.now()
    while true {
      let response = try await HTTPClient.shared.execute(request, timeout: .seconds(90))
      let answer = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
      if (200..<300).contains(response.status.code) { return answer }
      guard response.status.code == 503, time.now() - began < Self.patience else {
        throw Exit(
          response.status.code == 503 ? .tryLater : .bug,
          "POST \(path) answers \(response.status.code): \(String(decoding: answer, as: UTF8.self))")
      }
      try await time.sleep(.seconds(response.headers.first(name: "Retry-After").flatMap { Int($0) } ?? 1))
    }
  }

  /// Whether a gateway says on its health socket that it is ready.
  static func isReady(socket path: String) async -> Bool {
    let name = path.utf8.map { $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0)) }.joined()
    var request = HTTPClientRequest(url: "http+unix://\(name)/health/ready")
    request.headers.add(name: "Host", value: "settled")
    return (try? await HTTPClient.shared.execute(request, timeout: .seconds(2)))?.status == .ok
  }
}
