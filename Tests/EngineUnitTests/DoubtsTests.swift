@testable import Engine
import Postgres
import Testing

@Suite("Doubts about items") struct DoubtsTests {
  private static let denied = PostgresError(.server, "permission denied", sqlState: "42501")
  private static let slow = PostgresError(.timeout, "too slow")

  private static func doubts(_ keys: ClosedRange<Int64>, _ error: PostgresError) -> Doubts<Int64> {
    var doubts = Doubts<Int64>()
    doubts.begin()
    for key in keys { doubts.note(key, error, ItemFate(of: error)) }
    return doubts
  }

  @Test func `failures of which no other item succeeds are the server's, and their items come last next time`() {
    var doubts = Self.doubts(1...3, Self.denied)
    #expect(Set(doubts.leftOut) == [1, 2, 3])
    let (own, ofServer) = doubts.end()
    #expect(own.isEmpty && ofServer as? PostgresError == Self.denied)
    doubts.begin()
    #expect(Set(doubts.leftOut) == [1, 2, 3])
    let isReleased = doubts.release()
    let isReleasedAgain = doubts.release()
    #expect(isReleased && !isReleasedAgain && doubts.leftOut.isEmpty)
  }

  @Test func `failures beside which another item succeeds are the items' own`() {
    var doubts = Self.doubts(1...9, Self.denied)
    #expect(doubts.areEnough)
    doubts.noteSuccess()
    #expect(!doubts.areEnough)
    let (own, ofServer) = doubts.end()
    #expect(own.map(\.key) == Array(1...9) && ofServer == nil)
    #expect(doubts.leftOut.isEmpty)
  }

  @Test func `two time-outs without a success end a run, and eight other failures do`() {
    #expect(!Self.doubts(1...1, Self.slow).areEnough && Self.doubts(1...2, Self.slow).areEnough)
    #expect(!Self.doubts(1...7, Self.denied).areEnough && Self.doubts(1...8, Self.denied).areEnough)
  }

  @Test func `items that an earlier run left for last wait for sixteen batches at most`() {
    var doubts = Self.doubts(1...2, Self.slow)
    _ = doubts.end()
    doubts.begin()
    for _ in 1...15 { doubts.noteSuccess() }
    #expect(Set(doubts.leftOut) == [1, 2])
    doubts.noteSuccess()
    #expect(doubts.leftOut.isEmpty)
  }
}
