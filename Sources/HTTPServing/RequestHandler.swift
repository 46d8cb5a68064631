/// The handler of the requests of one socket.
package protocol RequestHandler: Sendable {
  /// How far the client is let in when the socket is full.
  func standing(of client: Client) -> Standing

  /// Decides from the head, before any of the body is read.
  func receive(_ head: RequestHead, from client: Client) async -> RouteResult

  /// The answer when the server refuses a client; the head is nil where there is none.
  func response(to refusal: Refusal, of head: RequestHead?) -> Response
}

/// A handler's decision on a request head.
package enum RouteResult: Sendable {
  /// An answer at once; a body is read and dropped.
  case response(Response)
  /// Work that wants the body, of at most so many bytes; the sharers each have a share of the room for bodies.
  case work(bodyBytesMax: Int, sharers: [String] = [], @Sendable ([UInt8]) async -> Response)
}

/// Why the server does not have a request answered by its handler.
package enum Refusal: Sendable, Equatable {
  /// The bytes are not an HTTP/1.1 request.
  case notHTTP
  case headTooLarge
  /// The body ended before its length, or does not match its head.
  case bodyCutOff
  case bodyLate(limit: Duration)
  case bodyTooLarge(bytesMax: Int)
  /// The bodies of all requests together fill their room.
  case bodiesTooLarge
  /// Large answers that have not been taken yet fill their room.
  case answersNotTaken
  case tooManyConnections
  case notDone(limit: Duration)
}
