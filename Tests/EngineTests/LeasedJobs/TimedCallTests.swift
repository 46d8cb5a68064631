import TestSupport
import Testing

@testable import Engine

@Suite("The time-out of a call") struct TimedCallTests {
  @Test(arguments: [60, 10])
  func `a call of a process that was stopped gets some seconds more`(after seconds: Int64) async throws {
    let time = StoppedTime(for: .seconds(seconds))
    let call = await TimedCall(atMost: .seconds(10), time: time.timekeeper) {
      await time.untilFired()
      // An answer that is there as soon as the process looks at its socket.
      if seconds == 60 { return "an answer" }
      try await TestTime.host.sleep(.seconds(30))
      return "too late"
    }
    #expect((try? call.result.get()) == (seconds == 60 ? "an answer" : nil))
  }
}
