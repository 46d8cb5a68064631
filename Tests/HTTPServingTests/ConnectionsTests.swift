@testable import HTTPServing
import Testing

@Suite("The connections of a socket") struct ConnectionsTests {
  private func fill(_ connections: Connections, _ sharer: String, _ standing: Standing = .ordinary) -> Int {
    var count = 0
    while connections.enter(sharer, standing) { count += 1 }
    return count
  }

  @Test func `each sharer gets half of what the others leave, and one while there is room`() {
    let connections = Connections(limits: ServingLimits())
    #expect((1...8).map { fill(connections, "uid \($0)") } == [32, 16, 8, 4, 2, 1, 1, 0])
    // Who gives some back leaves them to all.
    for _ in 0..<32 { connections.leave("uid 1") }
    #expect(fill(connections, "uid 9") == 16)
    #expect(fill(connections, "uid 1") == 8)
  }

  @Test func `room is kept for operators, then for admins, then for root`() {
    let connections = Connections(limits: ServingLimits())
    for user in 1...7 { _ = fill(connections, "uid \(user)") }
    #expect(!connections.enter("uid 8", .ordinary))
    #expect(fill(connections, "uid 20", .operator) == 4 && fill(connections, "uid 21", .operator) >= 1)
    for user in 22...28 { _ = fill(connections, "uid \(user)", .operator) }
    #expect(!connections.enter("uid 29", .operator) && connections.enter("uid 30", .admin))
    for user in 31...38 { _ = fill(connections, "uid \(user)", .admin) }
    #expect(!connections.enter("uid 39", .admin) && fill(connections, "uid 0", .root) == 8)
  }

  @Test func `a proxy has no share of its own, and an address has one`() {
    var limits = ServingLimits()
    (limits.connectionsMax, limits.connectionsPerSharerMax) = (1024, 256)
    (limits.connectionsForOperators, limits.connectionsForAdmins, limits.connectionsForRoot) = (0, 0, 0)
    #expect(fill(Connections(limits: limits), "10.0.0.1", .proxy) == 1024)
    let connections = Connections(limits: limits)
    #expect(fill(connections, "192.0.2.1") == 256 && fill(connections, "192.0.2.2") == 192)
    #expect(fill(connections, "10.0.0.1", .proxy) == 1024 - 448)
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("2001:db8:0:7::1", "20:1:d:b8:0:0:0:7"), ("2001:db8:0:7:ffff::2", "20:1:d:b8:0:0:0:7"),
    ("fe80::1%eth0", "fe:80:0:0:0:0:0:0"),
  ])
  func `the sharer of an IPv6 address is its /64`(address: String, sharer: String) {
    #expect(Client.address(address).sharer == sharer)
    #expect(Client.peer(Peer(uid: 7, gid: 8, pid: 9)).sharer == "uid 7")
  }
}
