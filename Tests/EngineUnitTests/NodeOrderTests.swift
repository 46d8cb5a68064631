@testable import Engine
import Postgres
import Testing

@Suite("The order of nodes") struct NodeOrderTests {
  private let nodes = ["a", "b", "c", "d"]

  private func ranks(_ rank: (NodeOrder) -> Int) -> [Int] {
    nodes.map { rank(NodeOrder(node: $0, nodes: nodes)) }
  }

  @Test func `is the same for all, gives each place once, and changes from instant to instant`() {
    var first: [Int: Int] = [:]
    for second in 0..<400 {
      let ranks = ranks { $0.rank(at: Timestamp(microseconds: 1_800_000_000_000_000 + Int64(second) * 60_000_000)) }
      #expect(ranks.sorted() == [0, 1, 2, 3])
      first[ranks.firstIndex(of: 0) ?? -1, default: 0] += 1
    }
    #expect(first.count == 4 && first.values.allSatisfy { (60...140).contains($0) }, "\(first)")
  }

  @Test func `begins with the node that is woken, or with one that the session's process says`() {
    #expect(ranks { $0.rank(sender: "c", process: 1) } == [2, 3, 0, 1])
    #expect(ranks { $0.rank(sender: "", process: 4001) } == [3, 0, 1, 2])
    #expect(ranks { $0.rank(sender: "nobody", process: .min) }.sorted() == [0, 1, 2, 3])
  }

  @Test func `leaves nobody out: who is alone, unknown, or knows of no instant is the first`() {
    #expect(NodeOrder(node: "a", nodes: ["a"]).rank(at: Timestamp(microseconds: 77)) == 0)
    #expect(NodeOrder(node: "x", nodes: nodes).rank(at: Timestamp(microseconds: 77)) == 0)
    #expect(NodeOrder(node: "x", nodes: nodes).rank(sender: "a", process: 3) == 0)
    #expect(NodeOrder(node: "a").rank(sender: "b", process: 3) == 0)
    #expect(ranks { $0.rank(at: nil) } == [0, 0, 0, 0])
  }

  @Test func `makes nobody wait for more than a second, however many nodes there are`() {
    #expect(NodeOrder.pause(of: 0) == .zero && NodeOrder.pause(of: 3) == .milliseconds(300))
    #expect(NodeOrder.pause(of: 300) == .seconds(1))
  }
}
