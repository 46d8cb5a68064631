@testable import Engine
import Testing

@Suite("Items that others have locked") struct LockContentionTests {
  private func noteLocked(_ key: Int64, in passed: inout LockContention<Int64>) -> Bool {
    passed.noteLocked(key, now: .zero)
  }

  /// The turns, counted from one, at which item 1 is waited for, in vain each time.
  private func waits(in batches: Int, freeAt: Set<Int> = []) -> [Int] {
    var passed = LockContention<Int64>()
    return (1...batches).filter { turn in
      let waits = passed.toWaitFor(in: [1]) != nil
      if waits { passed.waitedInVain(1) }
      passed.observe(freeAt.contains(turn) ? [] : [1], now: .zero)
      return waits
    }
  }

  @Test func `locked items are waited for after three batches, then more seldom, at least every 48`() {
    let all = waits(in: 1000)
    #expect(all.prefix(4) == [4, 10, 22, 46])
    #expect(zip(all.dropFirst(), all).map { $0 - $1 }.max() == 48)
    #expect(all.count > 15)
  }

  @Test func `locked items are forgotten when they are done`() {
    #expect(waits(in: 12, freeAt: [3]) == [7])
  }

  @Test func `locked items are waited for in turn, the longest due first`() {
    var passed = LockContention<Int64>()
    for _ in 0..<3 { passed.observe([7, 8], now: .zero) }
    #expect(passed.toWaitFor(in: [8, 7]) == 8)
    passed.waitedInVain(8)
    passed.observe([7, 8], now: .zero)
    #expect(passed.toWaitFor(in: [8, 7]) == 7)
    #expect(passed.toWaitFor(in: [8]) == nil)
  }

  @Test func `a locked item is long delayed a minute after it was first skipped`() {
    var passed = LockContention<Int64>()
    passed.observe([1], now: .seconds(5))
    passed.observe([1, 2], now: .seconds(30))
    #expect(!passed.isLongDelayed(1, now: .seconds(64)))
    #expect(passed.isLongDelayed(1, now: .seconds(65)))
    #expect(!passed.isLongDelayed(2, now: .seconds(65)))
    #expect(!passed.isLongDelayed(3, now: .seconds(65)))
  }

  @Test func `locked items leave batches only while they are due and another of their rows is locked`() {
    var passed = LockContention<Int64>()
    _ = noteLocked(1, in: &passed)
    passed.observe([1, 2], now: .zero)
    #expect(passed.lockedByOthers == [1])
    passed.observe([2], now: .zero)
    #expect(passed.lockedByOthers == [])
  }

  @Test func `locked items up to a limit leave batches, and all return when one was claimed`() {
    var passed = LockContention<Int64>()
    let keys = (1...Int64(LockContention<Int64>.lockedMax))
    let remembered = keys.filter { noteLocked($0, in: &passed) }
    #expect(remembered.count == keys.count)
    let isRemembered = noteLocked(0, in: &passed)
    #expect(!isRemembered)
    passed.observe(Array(keys), now: .zero)
    #expect(passed.lockedByOthers.count == keys.count)
    passed.had(1)
    #expect(passed.lockedByOthers.isEmpty)
    let isRememberedNow = noteLocked(0, in: &passed)
    #expect(isRememberedNow)
  }
}
