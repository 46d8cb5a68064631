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

  /// Sends JSON, and returns the body of an answer of the class 2xx. Any other answer is an error.
  @discardableResult
  func post(_ path: String, _ body: String, token: String? = nil, key: String? = nil) async throws -> Data {
    var request = HTTPClientRequest(url: "\(url)/\(path)")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if let key { request.headers.add(name: "Idempotency-Key", value: key) }
    request.body = .bytes(ByteBuffer(string: body))
    let (response, answer) = try await answer(to: request, path)
    guard (200..<300).contains(response.status.code) else {
      throw Exit(.bug, "POST \(path) answers \(response.status.code): \(String(decoding: answer, as: UTF8.self))")
    }
    return answer
  }

  /// A build without optimization takes long for a password on a busy machine, and may ask to come again (503).
  private func answer(to request: HTTPClientRequest, _ path: String) async throws -> (HTTPClientResponse, Data) {
    for _ in 1...300 {
      do {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        let answer = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        if response.status.code != 503 { return (response, answer) }
      } catch let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout {
        break
      }
      try await time.sleep(.seconds(1))
    }
    throw Exit(.tryLater, "POST \(path) got no answer: this machine is too busy, try again")
  }

  /// Whether a program says on its health socket that it is ready.
  static func isReady(socket path: String) async -> Bool {
    let name = path.utf8.map { $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0)) }.joined()
    var request = HTTPClientRequest(url: "http+unix://\(name)/health/ready")
    request.headers.add(name: "Host", value: "settled")
    return (try? await HTTPClient.shared.execute(request, timeout: .seconds(2)))?.status == .ok
  }
}
