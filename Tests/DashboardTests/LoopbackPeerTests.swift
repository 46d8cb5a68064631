@testable import DashboardRelay
import Testing

@Suite("The kernel's tables of TCP connections") struct LoopbackPeerTests {
  private static let head =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
  // 127.0.0.1 and the ports 42101 and 8081, as a little-endian machine prints them.
  private let ends = LoopbackPeer.Ends(client: (0x0100007F, 42101), server: (0x0100007F, 8081))

  private func row(_ local: String, _ remote: String, _ state: String, _ uid: Int) -> String {
    "   1: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000  \(uid)        0 12345 1 0000\n"
  }

  @Test func `the client's row has the uid, the server's own row does not count`() {
    let table =
      Self.head + row("0100007F:1F91", "0100007F:A475", "01", 0) + row("0100007F:A475", "0100007F:1F91", "01", 1004)
    #expect(ends.uid(in: table) == 1004)
  }

  @Test func `an IPv4 connection of an IPv6 socket has mapped addresses`() {
    let mapped = "0000000000000000FFFF00000100007F"
    #expect(ends.uid(in: Self.head + row(mapped + ":A475", mapped + ":1F91", "01", 33)) == 33)
  }

  @Test(arguments: ["06", "0A", "08"])
  func `a connection that is not established has no uid`(_ state: String) {
    #expect(ends.uid(in: Self.head + row("0100007F:A475", "0100007F:1F91", state, 1004)) == nil)
  }

  @Test func `other connections, cut-off rows and an empty table have none`() {
    #expect(ends.uid(in: "") == nil)
    #expect(ends.uid(in: Self.head + row("0100007F:A476", "0100007F:1F91", "01", 1004)) == nil)
    #expect(ends.uid(in: Self.head + "   1: 0100007F:A475 0100007F:1F91 01 0000") == nil)
  }
}
