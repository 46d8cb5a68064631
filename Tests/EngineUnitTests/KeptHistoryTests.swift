import Postgres
import Testing

@testable import Engine

@Suite("What a node remembers of its database") struct KeptHistoryTests {
  @Test(arguments: ["a", "node with blanks node=b", "ü"])
  func `is read as it was written, whatever the node's name`(node: String) {
    let history = KeptHistory(
      installation: "0a", node: node, beats: 3, timeline: 2, at: Timestamp(microseconds: 5),
      marks: ["ledgerHead": "7:ab", "none": ""])
    #expect(KeptHistory(line: history.line) == history)
  }

  @Test(arguments: ["", "0a 1 2 3", "0a 1 2 node=a", "0a x 2 3 node=a", "0a 1 2 3 head node=a"])
  func `is nothing where the line is another's`(line: String) {
    #expect(KeptHistory(line: line) == nil)
  }
}
