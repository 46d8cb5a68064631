@testable import Engine
import Testing

@Suite("The notification mark") struct NotifyMarkTests {
  /// Whether each poll under the mark asks for another one.
  private func asks(_ notifyMark: inout NotifyMark, oldest: [UInt64]) -> [Bool] {
    oldest.map { notifyMark.observe(oldest: $0) != nil }
  }

  @Test func `no further poll is needed without a notification mark`() {
    var notifyMark = NotifyMark()
    #expect(asks(&notifyMark, oldest: [1]) == [false])
  }

  @Test func `one poll after arming the notification mark is enough without writers`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100)
    #expect(asks(&notifyMark, oldest: [100]) == [false])
    #expect(notifyMark.isArmed)
  }

  @Test func `a writer that began before the notification mark is watched until it ends`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100)
    // Transaction 90 looked at the mark before it was committed, and stays silent. Those from 100 on ring.
    #expect(asks(&notifyMark, oldest: [90, 99, 100, 90]) == [true, true, false, false])
  }

  @Test func `checks for a long transaction become less frequent, up to half a minute`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100)
    let pauses = (0..<20).compactMap { _ in notifyMark.observe(oldest: 1) }
    #expect(pauses.count == 20)
    #expect(pauses.first == .milliseconds(40))
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(pauses.last == .milliseconds(20 * 1024))
    #expect(pauses.allSatisfy { $0 <= .seconds(30) })
  }

  @Test func `arming the mark again waits for the writers of the new moment`() {
    var notifyMark = NotifyMark()
    notifyMark.arm(100)
    #expect(asks(&notifyMark, oldest: [100]) == [false])
    notifyMark.disarm()
    #expect(!notifyMark.isArmed)
    notifyMark.arm(200)
    #expect(asks(&notifyMark, oldest: [150, 200]) == [true, false])
  }
}
