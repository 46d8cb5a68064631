import Glibc
import StopSignals
import TestSupport
import Testing

@Suite("Signals that end a process") struct StopSignalTests {
  @Test func `a signal that comes as soon as a process asks for it is not lost, and one after that does no harm`()
    async throws
  {
    for _ in 1...10 {
      let signals = StopSignal.stream(of: [.hangUp])
      kill(getpid(), SIGHUP)
      let first = try await within(.seconds(30), "the signal") { await signals.first { _ in true } }
      #expect(first == .hangUp)
      kill(getpid(), SIGHUP)
    }
  }
}
