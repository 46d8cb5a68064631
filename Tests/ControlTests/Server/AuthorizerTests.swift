import ControlAPI
import ControlServer
import HTTPServing
import Testing

@Suite("Levels")
struct AuthorizerTests {
  private let authorizer = Authorizer(ownUser: 500, readers: 10, operators: 20, admins: 30)

  @Test(
    arguments: [
      (0, 0, [], .admin), (0, 77, [10], .admin),
      (1000, 30, [], .admin), (1000, 77, [30], .admin), (1000, 77, [10, 20, 30], .admin),
      (1000, 20, [], .operate), (1000, 77, [5, 20, 6], .operate), (1000, 10, [20], .operate),
      (1000, 10, [], .read), (1000, 77, [10], .read),
      (1000, 77, [], nil), (1000, 0, [], nil), (1000, 77, [11, 21, 31], nil), (500, 500, [], nil), (500, 10, [], .read),
    ] as [(UInt32, UInt32, [UInt32], CommandLevel?)])
  func `a caller's level follows from the user and from primary and supplementary groups`(
    _ uid: UInt32, _ gid: UInt32, _ groups: [UInt32], _ level: CommandLevel?
  ) {
    let peer = Peer(uid: uid, gid: gid, pid: 1, groups: groups)
    #expect(authorizer.level(of: peer) == level)
    #expect(authorizer.admits(peer) == (level != nil || uid == 500))
    for needed in CommandLevel.allCases {
      let granted = authorizer.level(of: peer, for: "status", needing: needed)
      #expect(granted == level.flatMap { $0 >= needed ? $0 : nil })
    }
  }

  @Test func `the daemon's own user may reload, and nothing else without a level`() {
    let own = Peer(uid: 500, gid: 500, pid: 1)
    #expect(authorizer.level(of: own, for: "reload", needing: .admin) == .admin)
    #expect(authorizer.level(of: own, for: "status", needing: .read) == nil)
    #expect(authorizer.level(of: Peer(uid: 501, gid: 500, pid: 1), for: "reload", needing: .admin) == nil)
    #expect(authorizer.level(of: Peer(uid: 501, gid: 20, pid: 1), for: "reload", needing: .admin) == nil)
  }

  @Test func `only root operates or administers when no groups are configured`() {
    let bare = Authorizer(ownUser: 500, readers: 10, operators: nil, admins: nil)
    #expect(bare.level(of: Peer(uid: 0, gid: 0, pid: 1)) == .admin)
    #expect(bare.level(of: Peer(uid: 1, gid: 20, pid: 1, groups: [10, 30])) == .read)
  }

  @Test func `groups are found by name or number, and unknown ones are not`() throws {
    #expect(try SystemGroup.number(of: "root") == 0)
    #expect(try SystemGroup.number(of: "40001") == 40001)
    #expect(try SystemGroup.number(of: "no-such-group") == nil)
    #expect(try SystemGroup.number(of: "99999999999") == nil)
    #expect(try SystemGroup.number(of: "") == nil)
  }
}
