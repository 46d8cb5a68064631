import HTTPTypes
import HummingbirdCore
import NIOCore

/// One request and its answer on one connection.
struct Exchange: Sendable {
  let handler: any RequestHandler
  let client: Client
  let limits: ServingLimits
  let connection: ConnectionOwner
  let budget: BodyBudget
  let untaken: UntakenAnswers
  let observe: @Sendable (ServingObservation) -> Void

  /// Ends the connection, once the answer is written.
  private struct Hangup: Error {}

  /// How long a client that still sends is listened to after its refusal, so that it can read why.
  private static let lingersAtMost: Duration = .seconds(1)

  /// Throws where the connection must end: its bytes are not wanted, did not come, or were not taken.
  func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    let head = RequestHead(request.head)
    let result = await handler.receive(head, from: client)
    var reader = BodyReader(request, budget: budget, sharers: result.sharers, bytesMax: bytesMax(result))
    defer { reader.giveBack() }
    if case .work(let bytesMax, _, _) = result, head.expectsContinue, !reader.announcesMore(than: bytesMax) {
      try await writer.writeInformationalHead(HTTPResponse(status: .continue))
    }
    if case .response(let refusal) = result, head.expectsContinue {
      // The client withholds its body until the server asks for it.
      return try await refuse(refusal, writer, request, &reader, channel)
    }
    let outcome = try await Deadline.closing(channel, after: limits.bodyAtMost) {
      try await reader.read(isWanted: result.wantsBody)
    }
    guard case .whole(let body) = outcome else {
      return try await refuse(refusal(result, outcome, head), writer, request, &reader, channel)
    }
    // A request that is cut off has been answered where that is possible; it is never carried out.
    guard connection.update({ $0.takeRequest() }) else { throw Hangup() }
    let response =
      switch result {
      case .response(let response): response
      case .work(_, _, let work): await bounded(head, channel) { await work(body) }
      }
    reader.giveBack()
    // The answer to a change is sent in any case.
    try await hand(response, head, to: writer, of: request, channel)
  }

  /// Answers a request whose body is not read, and ends its connection.
  private func refuse(
    _ response: Response, _ writer: consuming ResponseWriter, _ request: Request, _ reader: inout BodyReader,
    _ channel: any Channel
  ) async throws {
    reader.giveBack()
    try await write(response, to: writer, of: request, channel, hangsUp: true)
    try await Deadline.closing(channel, after: Self.lingersAtMost) { try await reader.drop() }
    throw Hangup()
  }

  private func bytesMax(_ result: RouteResult) -> Int {
    if case .work(let bytesMax, _, _) = result { bytesMax } else { limits.bodyBytesMax }
  }

  private func refusal(_ result: RouteResult, _ outcome: BodyReader.Outcome, _ head: RequestHead) -> Response {
    if case .response(let response) = result { return response }
    if case .noRoom = outcome { return handler.response(to: .bodiesTooLarge, of: head) }
    return handler.response(to: .bodyTooLarge(bytesMax: bytesMax(result)), of: head)
  }

  private func bounded(
    _ head: RequestHead, _ channel: any Channel, _ work: @escaping @Sendable () async -> Response
  ) async -> Response {
    await Deadline.bound(work, to: limits.requestAtMost, on: channel.eventLoop) {
      observe(.timedOut(head))
      return handler.response(to: .notDone(limit: limits.requestAtMost), of: head)
    }
  }

  /// Writes the answer, where there is room for it until it is taken.
  private func hand(
    _ response: Response, _ head: RequestHead, to writer: consuming ResponseWriter, of request: Request,
    _ channel: any Channel
  ) async throws {
    let (length, standing) = (request.method == .get ? response.body.utf8.count : 0, handler.standing(of: client))
    guard untaken.enter(length, standing) else {
      let refusal = handler.response(to: .answersNotTaken, of: head)
      return try await write(refusal, to: writer, of: request, channel, hangsUp: false)
    }
    defer { untaken.leave(length, standing) }
    try await write(response, to: writer, of: request, channel, hangsUp: false)
    guard length > limits.smallAnswerBytesMax else { return }
    try await Deadline.closing(channel, after: limits.requestAtMost) { await connection.waitForFlush() }
  }

  private func write(
    _ response: Response, to writer: consuming ResponseWriter, of request: Request, _ channel: any Channel,
    hangsUp: Bool
  ) async throws {
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limits.idleAtMost)) { channel.close(promise: nil) }
    defer { timer.cancel() }
    let isBodyWanted = response.hasContent && request.method != .head
    let body = isBodyWanted ? ResponseBody(byteBuffer: ByteBuffer(string: response.body)) : ResponseBody()
    try await writer.write(response: response.head(closes: hangsUp), body: body)
  }
}

extension RouteResult {
  fileprivate var sharers: [String] {
    if case .work(_, let sharers, _) = self { sharers } else { [] }
  }

  fileprivate var wantsBody: Bool {
    if case .work = self { true } else { false }
  }
}

extension RequestHead {
  init(_ head: HTTPRequest) {
    self.init(method: head.method.rawValue, target: head.path ?? "/", fields: head.headerFields)
  }

  fileprivate var expectsContinue: Bool { fields[.expect]?.lowercased() == "100-continue" }
}
