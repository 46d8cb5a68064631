import Postgres
import Testing

@testable import Operations

@Suite("The log of watch events") struct WatchLogTests {
  private static func happenings(_ numbers: Range<Int>) -> [Happening] {
    numbers.map { number in
      Happening(
        at: Timestamp(microseconds: 0), kind: "k", job: number.isMultiple(of: 2) ? "even" : "odd", key: "\(number)",
        text: "")
    }
  }

  @Test func `watch events come in pages that follow each other without a gap`() {
    var log = WatchLog()
    log.append(Self.happenings(0..<2_500))
    var keys: [String] = []
    var next = 0
    while next < log.end {
      let page = log.page(from: next, job: nil)
      #expect(page.happenings.count <= WatchLog.pageMax && page.next > next && !page.isIncomplete)
      keys += page.happenings.map(\.key)
      next = page.next
    }
    #expect(keys == (0..<2_500).map { "\($0)" })
  }

  @Test func `watch events of one job are found behind any number of others`() {
    var log = WatchLog()
    log.append(Self.happenings(0..<101))
    let page = log.page(from: 0, job: "odd")
    #expect(page.happenings.count == 50 && page.happenings.allSatisfy { $0.job == "odd" })
    #expect(page.next == 101)
  }

  @Test func `new watch events replace the oldest, and a reader who missed some sees that`() {
    var log = WatchLog()
    log.append(Self.happenings(0..<WatchLog.keptMax + 5))
    let page = log.page(from: 4, job: nil)
    #expect(page.isIncomplete && page.happenings.first?.key == "5")
    #expect(!log.page(from: 5, job: nil).isIncomplete)
  }

  @Test(arguments: ["", "a.b", "a.1", "a.0.0", ".1.2", "a.1.-1", "a.1.2.3", "a.1.99999999999999999999"])
  func `a malformed cursor of a watch is refused by its rule`(text: String) {
    #expect(throws: CommandError.self) { try WatchCursor(text) }
  }

  @Test func `a cursor of a watch is read as it was written`() throws {
    let cursor = WatchCursor(run: "x1", watcher: 3, next: 40)
    #expect(try WatchCursor(cursor.text) == cursor)
  }
}
