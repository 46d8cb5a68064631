import Testing

@testable import Engine

@Suite("Turns that found only locked rows") struct EmptyTurnsTests {
  /// The turns, counted from one, at which the head of the queue is waited for.
  private func waits(in turns: Int, busyAt: Set<Int> = []) -> [Int] {
    var empty = EmptyTurns()
    return (1...turns).filter { turn in
      defer { empty.observe(items: busyAt.contains(turn) ? 1 : 0) }
      return empty.shouldWait
    }
  }

  @Test("after three empty turns the head is waited for, then ever more seldom")
  func seldom() {
    #expect(waits(in: 40) == [4, 10, 28])
  }

  @Test("waits never become more seldom than every 48 turns")
  func limit() {
    let all = waits(in: 1000)
    #expect(zip(all.dropFirst(), all).map { $0 - $1 }.max() == 48)
    #expect(all.count > 15)
  }

  @Test("an item that was got starts the count anew")
  func restart() {
    #expect(waits(in: 12, busyAt: [3, 4]) == [8])
  }

  @Test("an item is long delayed a minute after it was first waited for, another item is not")
  func delayed() {
    var empty = EmptyTurns()
    let asked = [("1", 0), ("1", 59), ("1", 60), ("2", 61), ("1", 62)]
    #expect(asked.map { empty.isLongDelayed($0.0, now: .seconds($0.1)) } == [false, false, true, false, false])
  }
}
