import NIOCore
import NIOHTTP1

/// Where the answer to one request is written; a reader that does not take it in time is disconnected.
struct Sink: Sendable {
  let channel: any Channel
  let isKeptAlive: Bool

  func send(_ answer: RelayAnswer) async throws {
    let body = ByteBuffer(string: answer.body)
    var headers = HTTPHeaders(answer.fields)
    headers.add(name: "Content-Length", value: String(body.readableBytes))
    if !isKeptAlive { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status), headers: headers)
    let isKeptAlive = isKeptAlive
    try await inTime {
      channel.write(HTTPServerResponsePart.head(head), promise: nil)
      channel.write(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
      return channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    }
    if !isKeptAlive { try await channel.close() }
  }

  /// Begins a stream of lines; it ends with the connection.
  func begin(_ contentType: String) async throws {
    var headers = HTTPHeaders(RelayAnswer.fields(ofStream: contentType))
    headers.add(name: "Transfer-Encoding", value: "chunked")
    let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
    try await inTime { channel.writeAndFlush(HTTPServerResponsePart.head(head)) }
  }

  func write(_ line: String) async throws {
    try await inTime {
      channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: line))))
    }
  }

  func close() { channel.close(promise: nil) }

  private func inTime(_ write: () -> EventLoopFuture<Void>) async throws {
    let channel = channel
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(RelayLimits.writeAtMost)) { channel.close(promise: nil) }
    defer { timer.cancel() }
    try await write().get()
  }
}
