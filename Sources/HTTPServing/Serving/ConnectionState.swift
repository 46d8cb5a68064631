import HTTPTypes

/// The state of one connection: each method is an event, and returns the action that follows from it.
///
/// It has no socket and no clock. Counts stand for the requests, since their order is that of their responses.
struct ConnectionState {
  enum Action: Equatable {
    /// At most one timer runs: a new one replaces it.
    case startTimer(Wait)
    case stopTimer
    /// The refusal is the last response; the connection closes behind it.
    case refuse(Refusal, of: HTTPRequest?)
    case closeAfterFlush
    case close
  }

  /// The part of a request that must arrive in time.
  enum Wait { case head, body }

  private enum Input {
    /// The next byte begins a head.
    case idle
    case head
    /// Of the youngest request, while no response has begun.
    case body(of: HTTPRequest)
    case answeredBody
    /// Of all requests: the client has closed its side.
    case ended
  }

  private let bodyAtMost: Duration
  private var input = Input.idle
  /// Whether the present read ended a head or a request.
  private var readHasParts = false
  private var isDraining = false
  private var isClosed = false
  private var (requestsBegun, requestsEnded, requestsTaken) = (0, 0, 0)
  private var (responsesWritten, responsesFlushed) = (0, 0)

  init(bodyAtMost: Duration) {
    self.bodyAtMost = bodyAtMost
  }

  /// Below zero where the framework has answered bytes behind a request that are not HTTP.
  private var requestsOpen: Int { requestsBegun - responsesWritten }

  /// Whether the response to the youngest taken request has left, or nothing leaves any more.
  var isFlushed: Bool { isClosed || responsesFlushed >= requestsTaken }

  mutating func headCompleted(_ head: HTTPRequest) -> Action? {
    requestsBegun += 1
    (input, readHasParts) = (.body(of: head), true)
    return .startTimer(.body)
  }

  mutating func requestEnded() -> Action? {
    requestsEnded += 1
    defer { (input, readHasParts) = (.idle, true) }
    if case .body = input { return .stopTimer }
    return nil
  }

  /// A read is parsed; without a part it has begun a head.
  ///
  /// A head that begins in the read that ends the request before it is bounded only as a silent connection is.
  mutating func readCompleted() -> Action? {
    defer { readHasParts = false }
    guard case .idle = input, !readHasParts else { return nil }
    input = .head
    return .startTimer(.head)
  }

  /// No byte comes any more. The end of the input completes a read as well, which has begun no head.
  mutating func inputEnded() -> Action? {
    defer { if case .idle = input { input = .ended } }
    guard case .head = input else { return nil }
    input = .ended
    return .stopTimer
  }

  /// Takes the next request, whose body was read to its end; returns whether it has arrived whole.
  ///
  /// A body that is cut off, by its sender or by a limit, ends for its reader like one that is whole.
  mutating func takeRequest() -> Bool {
    requestsTaken += 1
    return requestsEnded >= requestsTaken
  }

  /// A response begins, and with it the wait for a body ends: the reader of the request bounds it from now on.
  mutating func responseBegan() -> Action? {
    guard case .body = input else { return nil }
    input = .answeredBody
    return .stopTimer
  }

  mutating func responseEnded() -> Action? {
    responsesWritten += 1
    return isDraining && requestsOpen <= 0 ? .closeAfterFlush : nil
  }

  /// The last byte of a response has left, or failed to.
  mutating func responseFlushed() { responsesFlushed += 1 }

  /// The timer may have fired before it was stopped: then nothing waits for it any more.
  mutating func timerFired(_ wait: Wait) -> Action? {
    switch (wait, input) {
    case (.head, .head): return .close
    case (.body, .body(let head)) where requestsOpen == 1:
      input = .answeredBody
      return .refuse(.bodyLate(limit: bodyAtMost), of: head)
    default: return nil
    }
  }

  /// The bytes are not HTTP, or end too early; nil where the connection ends behind the response under way.
  mutating func parserFailed(isHeadTooLarge: Bool) -> Action? {
    if case .body(let head) = input, requestsOpen == 1 {
      input = .answeredBody
      return .refuse(.bodyCutOff, of: head)
    }
    return requestsOpen == 0 ? .refuse(isHeadTooLarge ? .headTooLarge : .notHTTP, of: nil) : nil
  }

  /// The server stops: responses under way are the last ones.
  mutating func drainBegan() -> Action? {
    isDraining = true
    return requestsOpen <= 0 ? .close : nil
  }

  mutating func closed() -> Action? {
    isClosed = true
    return .stopTimer
  }
}
