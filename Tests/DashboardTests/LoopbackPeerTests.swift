@testable import DashboardRelay
import Glibc
import Testing

@Suite("The peer of a loopback connection") struct LoopbackPeerTests {
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

  @Test(arguments: [AF_INET, AF_INET6])
  func `a connection has the uid of its client until the client closes it`(_ family: Int32) throws {
    let listener = try Listener()
    let client = try listener.client(family)
    let server = accept(listener.socket, nil, nil)
    #expect(LoopbackPeer.uid(of: server) == geteuid())
    let ends = LoopbackPeer.Ends(client: try #require(LoopbackPeer.end(server, getpeername)), server: listener.end)
    #expect([.found(geteuid()), .unsupported].contains(ends.owner))
    // A row may be missing while other connections come and go.
    let isListed = (1...100).contains { _ in
      LoopbackPeer.tables.contains { ends.uid(in: LoopbackPeer.text($0)) == geteuid() }
    }
    #expect(isListed)
    close(client)
    #expect(LoopbackPeer.uid(of: server) == nil)
    close(server)
  }

  @Test func `a socket that listens at the client's end is not the client`() throws {
    let (listener, other) = (try Listener(), try Listener())
    #expect([.none, .unsupported].contains(LoopbackPeer.Ends(client: listener.end, server: other.end).owner))
  }

  /// A socket that listens on a free port of 127.0.0.1.
  private final class Listener {
    let socket: Int32
    let end: (address: UInt32, port: UInt16)

    init() throws {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let bound = LoopbackPeerTests.withAddress(&address) { bind(socket, $0, $1) }
      let listens = listen(socket, 8)
      end = try #require(LoopbackPeer.end(socket, getsockname))
      self.socket = socket
      try #require(bound == 0 && listens == 0)
    }

    deinit { close(socket) }

    /// A connected socket; one of IPv6 has mapped addresses.
    func client(_ family: Int32) throws -> Int32 {
      let client = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
      let status: Int32
      if family == AF_INET {
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), end.port.bigEndian)
        address.sin_addr.s_addr = end.address
        status = LoopbackPeerTests.withAddress(&address) { connect(client, $0, $1) }
      } else {
        var address = sockaddr_in6()
        (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), end.port.bigEndian)
        address.sin6_addr.__in6_u.__u6_addr32 = (0, 0, UInt32(0xFFFF).bigEndian, end.address)
        status = LoopbackPeerTests.withAddress(&address) { connect(client, $0, $1) }
      }
      try #require(status == 0)
      return client
    }
  }

  private static func withAddress<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }
}
