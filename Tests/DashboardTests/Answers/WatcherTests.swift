@testable import DashboardRelay
import Synchronization
import TestSupport
import Testing

@Suite("The one watch of a dashboard") struct WatcherTests {
  @Test func `a daemon that answers nothing is lost from the beginning of the request that failed`() async throws {
    let daemon = try await StandInDaemon { _ in nil }
    let watcher = Watcher(path: daemon.path, answerAtMost: .milliseconds(1100)) {}
    let beat = try await first(of: watcher)
    #expect((1...20).contains(beat.lostSeconds ?? 0) && beat.refusal == nil && !beat.isIncomplete)
    await watcher.stop()
  }

  @Test func `a page that listens waits for nothing`() async throws {
    let daemon = try await StandInDaemon { _ in nil }
    let watcher = Watcher(path: daemon.path) {}
    _ = try await within(.seconds(10), "the stream of beats") { await watcher.listen() }
    await watcher.stop()
  }

  @Test func `a refused watch has its reason, and the daemon is not lost`() async throws {
    let daemon = try await StandInDaemon { _ in
      .json(#"{"status": 503, "rule": "busy", "detail": "eight watch already"}"#, status: 503)
    }
    let watcher = Watcher(path: daemon.path) {}
    let beat = try await first(of: watcher)
    #expect(beat.refusal == "eight watch already" && beat.lostSeconds == nil)
    // Whoever comes later learns it at once, and reads everything.
    let later = try await first(of: watcher)
    #expect(later.refusal == "eight watch already" && later.isIncomplete)
    await watcher.stop()
  }

  @Test func `older reads are forgotten before pages learn of a happening`() async throws {
    let forgotten = Mutex(0)
    let second = Gatekeeper()
    let daemon = try await StandInDaemon { target in
      guard target.contains("after=") else { return .json(#"{"cursor": "1", "missed": false, "happenings": []}"#) }
      guard target.hasSuffix("after=1") else { return nil }
      await second.wait()
      return .json(#"{"cursor": "2", "missed": false, "happenings": [{"kind": "command.set"}]}"#)
    }
    let watcher = Watcher(path: daemon.path) { forgotten.withLock { $0 += 1 } }
    var beats = await watcher.listen().beats.makeAsyncIterator()
    let begun = await beats.next()
    #expect(begun?.isIncomplete == true)
    let before = forgotten.withLock { $0 }
    second.open()
    let happened = await beats.next()
    #expect(happened?.kinds == ["command.set"])
    #expect(forgotten.withLock { $0 } == before + 1)
    await watcher.stop()
  }

  private func first(of watcher: Watcher) async throws -> Beat {
    try await within(.seconds(30), "a beat") {
      var beats = await watcher.listen().beats.makeAsyncIterator()
      guard let beat = await beats.next() else { throw TimeLimitError(description: "the beats ended") }
      return beat
    }
  }
}
