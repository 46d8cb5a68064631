import Postgres
import Testing

@testable import Engine

@Suite("A node's kept history") struct KeptHistoryTests {
  @Test(arguments: ["a", "node with blanks node=b", "ü"])
  func `a node's kept history is read as it was written, for any name of the node`(node: String) {
    let history = KeptHistory(
      installation: "0a", node: node, beats: 3, timeline: 2, at: Timestamp(microseconds: 5),
      marks: ["ledgerHead": "7:ab", "none": ""])
    #expect(KeptHistory(line: history.line) == history)
  }

  @Test(arguments: ["", "0a 1 2 3", "0a 1 2 node=a", "0a x 2 3 node=a", "0a 1 2 3 head node=a"])
  func `a line of another format is not read as kept history`(line: String) {
    #expect(KeptHistory(line: line) == nil)
  }
}
