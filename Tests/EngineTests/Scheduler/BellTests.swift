@testable import Engine
import Testing

@Suite("The bell") struct BellTests {
  /// Whether each look of an armed bell asks for another one.
  private func asks(_ bell: inout Bell, _ looks: [(oldest: UInt64, next: UInt64)]) -> [Bool] {
    looks.map { bell.observe(oldest: $0.oldest, next: $0.next) != nil }
  }

  @Test("an unarmed bell asks for no look")
  func unarmed() {
    var bell = Bell()
    #expect(asks(&bell, [(1, 100)]) == [false])
  }

  @Test("nobody writes: one look after arming is enough")
  func quiet() {
    var bell = Bell()
    bell.arm()
    #expect(asks(&bell, [(100, 100)]) == [false])
    #expect(bell.isArmed)
  }

  @Test("a writer that began before the mark is looked for until it has ended")
  func silentWriter() {
    var bell = Bell()
    bell.arm()
    // Transaction 90 looked at the mark before it was committed, and stays silent. Those from 100 on ring.
    #expect(asks(&bell, [(90, 100), (99, 140), (100, 150), (90, 160)]) == [true, true, false, false])
  }

  @Test("looks for a long transaction grow apart, up to half a minute")
  func longTransaction() {
    var bell = Bell()
    bell.arm()
    let pauses = (0..<20).compactMap { _ in bell.observe(oldest: 1, next: 2) }
    #expect(pauses.count == 20)
    #expect(pauses.first == .milliseconds(40))
    #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(pauses.last == .milliseconds(20 * 1024))
    #expect(pauses.allSatisfy { $0 <= .seconds(30) })
  }

  @Test("arming again waits for the writers of the new moment")
  func again() {
    var bell = Bell()
    bell.arm()
    #expect(asks(&bell, [(100, 100)]) == [false])
    bell.disarm()
    #expect(!bell.isArmed)
    bell.arm()
    #expect(asks(&bell, [(150, 200), (200, 210)]) == [true, false])
  }
}
