@testable import Engine
import Postgres
import Testing

@Suite("The order of nodes") struct NodeOrderTests {
  private let nodes = ["a", "b", "c", "d"]

  private func ranks(_ rank: (NodeOrder) -> Int) -> [Int] {
    nodes.map { rank(NodeOrder(node: $0, nodes: nodes)) }
  }

  @Test func `the order of nodes is the same for all, gives each place once, and differs by instant`() {
    var first: [Int: Int] = [:]
    for second in 0..<400 {
      let ranks = ranks { $0.rank(at: Timestamp(microseconds: 1_800_000_000_000_000 + Int64(second) * 60_000_000)) }
      #expect(ranks.sorted() == [0, 1, 2, 3])
      first[ranks.firstIndex(of: 0) ?? -1, default: 0] += 1
    }
    #expect(first.count == 4 && first.values.allSatisfy { (60...140).contains($0) }, "\(first)")
  }

  @Test func `the order of nodes begins with the node that a notification names`() {
    #expect(ranks { $0.rank(sender: "c", process: 1) } == [2, 3, 0, 1])
    #expect(ranks { $0.rank(sender: "", process: 4001) } == [3, 0, 1, 2])
    #expect(ranks { $0.rank(sender: "nobody", process: .min) }.sorted() == [0, 1, 2, 3])
  }

  @Test func `the order of nodes puts a node first that is alone, unknown or without an instant`() {
    #expect(NodeOrder(node: "a", nodes: ["a"]).rank(at: Timestamp(microseconds: 77)) == 0)
    #expect(NodeOrder(node: "x", nodes: nodes).rank(at: Timestamp(microseconds: 77)) == 0)
    #expect(NodeOrder(node: "x", nodes: nodes).rank(sender: "a", process: 3) == 0)
    #expect(NodeOrder(node: "a").rank(sender: "b", process: 3) == 0)
    #expect(ranks { $0.rank(at: nil) } == [0, 0, 0, 0])
  }

  @Test func `the order of nodes delays nobody by more than a second, and no two nodes alike`() {
    for count in [1, 4, 10, 16, 64, 300] {
      let order = NodeOrder(node: "a", nodes: (0..<count).map { "node\($0)" })
      let pauses = (0..<count).map { order.pause(of: $0) }
      #expect(Set(pauses).count == count && pauses == pauses.sorted() && pauses[0] == .zero)
      #expect(pauses[count - 1] < .seconds(1))
    }
    #expect(NodeOrder(node: "a", nodes: nodes).pause(of: 3) == .milliseconds(300))
  }
}
