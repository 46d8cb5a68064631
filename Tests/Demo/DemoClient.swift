import AsyncHTTPClient
import FoundationEssentials
import HostProcess
import NIOCore
import NIOHTTP1

/// Calls the gateway as any app does.
struct DemoClient: Sendable {
  let url: String

  /// Sends JSON, and returns the body of an answer of the class 2xx; any other answer is an error.
  @discardableResult
  func post(_ path: String, _ body: String, token: String? = nil, key: String? = nil) async throws -> Data {
    var request = HTTPClientRequest(url: "\(url)/\(path)")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    request.body = .bytes(ByteBuffer(string: body))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    let answer = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    guard (200..<300).contains(response.status.code) else {
      throw Exit(.bug, "POST \(path) answers \(response.status.code): \(String(decoding: answer, as: UTF8.self))")
    }
    return answer
  }

  /// Whether a gateway says on its health socket that it is ready.
  static func isReady(socket path: String) async -> Bool {
    let name = path.utf8.map { $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0)) }.joined()
    let request = HTTPClientRequest(url: "http+unix://\(name)/health/ready")
    return (try? await HTTPClient.shared.execute(request, timeout: .seconds(2)))?.status == .ok
  }
}
