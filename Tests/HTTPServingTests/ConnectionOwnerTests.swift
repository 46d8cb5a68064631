@testable import HTTPServing
import Testing

@Suite("The owner of a connection's state") struct ConnectionOwnerTests {
  enum End: CaseIterable { case flush, close, cancel }

  @Test(arguments: End.allCases)
  func `a task waits for a response until it has left, the connection closes or the task is cancelled`(
    end: End
  ) async {
    let owner = ConnectionOwner(bodyAtMost: .seconds(3))
    _ = owner.update { $0.takeRequest() }
    let waiting = Task { await owner.waitForFlush() }
    switch end {
    case .flush: owner.update { $0.responseFlushed() }
    case .close: _ = owner.update { $0.closed() }
    case .cancel: waiting.cancel()
    }
    await waiting.value
    #expect(owner.update { $0.isFlushed } == (end != .cancel))
  }
}
