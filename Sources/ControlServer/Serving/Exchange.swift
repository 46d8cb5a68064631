import ControlAPI
import HTTPTypes
import HummingbirdCore
import NIOCore

/// One request and its answer on one connection.
struct Exchange: Sendable {
  let handler: any Handler
  let peer: Peer
  let limits: ControlLimits
  let arrivals: Arrivals
  let departures: Departures
  let untaken: UntakenAnswers
  let observe: @Sendable (ControlObservation) -> Void

  /// Ends the connection, once the answer is written.
  private struct Hangup: Error {}

  /// Throws where the connection must end: its bytes are not wanted, did not come, or were not taken.
  func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    let reception = handler.receive(Asked(request), from: peer)
    let body = try await Deadline.closing(channel, after: limits.idleAtMost) { try await collect(request) }
    guard let body else {
      let problem = Problem(413, rule: Problem.Rule.body, "a body has at most \(limits.bodyBytesMax) bytes")
      try await write(.problem(problem), to: writer, channel, hangsUp: true)
      throw Hangup()
    }
    // What is cut off has been answered where that is possible; it is never carried out.
    guard arrivals.take() else { throw Hangup() }
    let answer =
      switch reception {
      case .settled(let answer): answer
      case .wanted(let work):
        await Deadline.bound({ await work(body) }, to: limits.requestAtMost, on: channel.eventLoop) {
          observe(.timedOut(request: "\(request.method) \(request.head.path?.prefix(200) ?? "")"))
          return .problem(Problem(503, rule: Problem.Rule.timeout, "not done within \(limits.requestAtMost)"))
        }
      }
    // What was changed is told in any case.
    try await hand(answer, counting: request.method == .get, to: writer, channel)
  }

  /// Writes the answer, where there is room for it until it is taken.
  private func hand(
    _ answer: Answer, counting: Bool, to writer: consuming ResponseWriter, _ channel: any Channel
  ) async throws {
    let (length, standing) = (counting ? answer.body.utf8.count : 0, handler.standing(of: peer))
    guard untaken.enter(length, standing) else {
      let problem = Problem(503, rule: Problem.Rule.busy, "other large answers have not been taken yet")
      departures.expect()
      return try await write(.problem(problem), to: writer, channel, hangsUp: false)
    }
    defer { untaken.leave(length, standing) }
    departures.expect()
    try await write(answer, to: writer, channel, hangsUp: false)
    guard length > limits.smallAnswerBytesMax else { return }
    try await Deadline.closing(channel, after: limits.requestAtMost) { await departures.wait() }
  }

  /// Nil where it is longer than the limit.
  private func collect(_ request: Request) async throws -> [UInt8]? {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limits.bodyBytesMax { return nil }
    var body: [UInt8] = []
    for try await piece in request.body {
      guard body.count + piece.readableBytes <= limits.bodyBytesMax else { return nil }
      body += piece.readableBytesView
    }
    return body
  }

  private func write(
    _ answer: Answer, to writer: consuming ResponseWriter, _ channel: any Channel, hangsUp: Bool
  ) async throws {
    let bytes = ByteBuffer(string: answer.body)
    var head = HTTPResponse(status: .init(code: answer.status))
    head.headerFields[.contentType] = answer.contentType
    head.headerFields[.contentLength] = String(bytes.readableBytes)
    head.headerFields[.cacheControl] = "no-store"
    if let allow = answer.allow { head.headerFields[.allow] = allow }
    if hangsUp { head.headerFields[.connection] = "close" }
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limits.idleAtMost)) { channel.close(promise: nil) }
    defer { timer.cancel() }
    try await writer.write(response: head, body: ResponseBody(byteBuffer: bytes))
  }
}

extension Asked {
  fileprivate init(_ request: Request) {
    self.init(
      method: request.method.rawValue, target: request.head.path ?? "/", requestIds: request.headers[values: .requestId]
    )
  }
}

extension HTTPField.Name {
  fileprivate static let requestId: HTTPField.Name = {
    guard let name = HTTPField.Name(ControlDefaults.requestIdHeader) else { preconditionFailure("not a header's name") }
    return name
  }()
}
