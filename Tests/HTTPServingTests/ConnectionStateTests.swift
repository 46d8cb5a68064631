@testable import HTTPServing
import HTTPTypes
import Testing

@Suite("The state of a connection") final class ConnectionStateTests {
  private static let get = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/first")
  private static let put = HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/second")
  private var state = ConnectionState(bodyAtMost: .seconds(3))

  private func on<Result>(_ event: (inout ConnectionState) -> Result) -> Result { event(&state) }

  /// A request without a body, answered and taken by its client.
  private func exchange() {
    _ = state.headCompleted(Self.get)
    _ = state.requestEnded()
    _ = state.readCompleted()
    #expect(on { $0.takeRequest() })
    _ = state.responseBegan()
    _ = state.responseEnded()
    state.responseFlushed()
  }

  @Test func `a head and a body each have a timer, and a response stops the second one`() {
    #expect(on { $0.readCompleted() } == .startTimer(.head))
    #expect(on { $0.readCompleted() } == nil)
    #expect(on { $0.headCompleted(Self.put) } == .startTimer(.body))
    #expect(on { $0.readCompleted() } == nil)
    #expect(on { $0.responseBegan() } == .stopTimer)
    #expect(on { $0.requestEnded() } == nil)
  }

  @Test func `the read that ends a request begins no head, and the next read does`() {
    exchange()
    #expect(on { $0.readCompleted() } == .startTimer(.head))
    #expect(on { $0.timerFired(.head) } == .close)
  }

  @Test func `the end of the input begins no head, so that a slow answer to a half-closed client is not cut off`() {
    _ = state.headCompleted(Self.put)
    _ = state.requestEnded()
    #expect(on { $0.readCompleted() } == nil)
    #expect(on { $0.readCompleted() } == .startTimer(.head))
    #expect(on { $0.inputEnded() } == .stopTimer)
    #expect(on { $0.timerFired(.head) } == nil)
    #expect(on { $0.readCompleted() } == nil)
  }

  @Test func `a drain closes a connection whose bytes behind an answered request were answered by the framework`() {
    _ = state.headCompleted(Self.get)
    _ = state.requestEnded()
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == nil)
    for _ in 0..<2 {
      _ = state.responseBegan()
      #expect(on { $0.responseEnded() } == nil)
    }
    #expect(on { $0.drainBegan() } == .close)
  }

  @Test func `a response that has left before the body was read stops the wait for the body`() {
    _ = state.headCompleted(Self.put)
    #expect(on { $0.responseBegan() } == .stopTimer)
    #expect(on { $0.responseEnded() } == nil)
    state.responseFlushed()
    #expect(on { $0.timerFired(.body) } == nil)
    #expect(on { $0.readCompleted() } == nil)
    #expect(on { $0.requestEnded() } == nil)
    #expect(on { $0.drainBegan() } == .close)
  }

  @Test func `a head timer that fires after the head is complete closes nothing`() {
    #expect(on { $0.readCompleted() } == .startTimer(.head))
    #expect(on { $0.headCompleted(Self.get) } == .startTimer(.body))
    #expect(on { $0.timerFired(.head) } == nil)
    #expect(on { $0.requestEnded() } == .stopTimer)
    #expect(on { $0.timerFired(.body) } == nil)
  }

  @Test func `a body that is late is refused once, with its limit and its head`() {
    _ = state.headCompleted(Self.put)
    #expect(on { $0.timerFired(.body) } == .refuse(.bodyLate(limit: .seconds(3)), of: Self.put))
    #expect(on { $0.timerFired(.body) } == nil)
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == nil)
  }

  @Test func `bytes that are not HTTP are refused by their kind while nothing is under way`() {
    #expect(on { $0.parserFailed(isHeadTooLarge: true) } == .refuse(.headTooLarge, of: nil))
    exchange()
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == .refuse(.notHTTP, of: nil))
  }

  @Test func `a body that is cut off is refused with its head`() {
    _ = state.headCompleted(Self.put)
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == .refuse(.bodyCutOff, of: Self.put))
    #expect(!on { $0.takeRequest() })
  }

  @Test func `a parser error while a response is under way is left to the end of that response`() {
    _ = state.headCompleted(Self.get)
    _ = state.requestEnded()
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == nil)
    _ = state.responseBegan()
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == nil)
    _ = state.responseEnded()
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == .refuse(.notHTTP, of: nil))
  }

  @Test func `a drain closes an idle connection at once, used or not`() {
    #expect(on { $0.drainBegan() } == .close)
    state = ConnectionState(bodyAtMost: .seconds(3))
    exchange()
    #expect(on { $0.drainBegan() } == .close)
  }

  @Test func `a drain closes a busy connection behind its last response`() {
    for head in [Self.get, Self.put] {
      _ = state.headCompleted(head)
      _ = state.requestEnded()
    }
    #expect(on { $0.drainBegan() } == nil)
    #expect(on { $0.responseBegan() } == nil)
    #expect(on { $0.responseEnded() } == nil)
    #expect(on { $0.responseEnded() } == .closeAfterFlush)
  }

  @Test func `a pipelined request is refused for its body only when it is the one under way`() {
    _ = state.headCompleted(Self.get)
    _ = state.requestEnded()
    #expect(on { $0.headCompleted(Self.put) } == .startTimer(.body))
    #expect(on { $0.timerFired(.body) } == nil)
    #expect(on { $0.parserFailed(isHeadTooLarge: false) } == nil)
    #expect(on { $0.takeRequest() })
    #expect(!on { $0.takeRequest() }, "the second one has not arrived whole")
  }

  @Test func `a response is flushed when the responses before it and it have left`() {
    #expect(state.isFlushed)
    for _ in 0..<2 {
      _ = state.headCompleted(Self.get)
      _ = state.requestEnded()
      _ = state.takeRequest()
      _ = state.responseBegan()
      _ = state.responseEnded()
    }
    state.responseFlushed()
    #expect(!state.isFlushed)
    state.responseFlushed()
    #expect(state.isFlushed)
  }

  @Test func `a connection that closes before anything stops its timer and waits for nothing`() {
    #expect(on { $0.closed() } == .stopTimer)
    #expect(state.isFlushed)
    #expect(!on { $0.takeRequest() }, "nothing has arrived")
    #expect(state.isFlushed, "nothing leaves any more")
  }
}
