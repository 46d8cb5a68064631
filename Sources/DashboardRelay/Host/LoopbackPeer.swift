import CPlatform
import Glibc

/// Looks up who is at the other end of a TCP connection of this machine.
enum LoopbackPeer {
  static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
  private static let bytesMax = 64 * 1024 * 1024

  /// Nil where the socket is not of IPv4, or the kernel does not have its connection.
  static func uid(of socket: Int32) -> UInt32? {
    guard let client = end(socket, getpeername), let server = end(socket, getsockname) else { return nil }
    let ends = Ends(client: client, server: server)
    return switch ends.owner {
    case .found(let uid): uid
    case .none: nil
    // The kernel walks all of its memory for connections to print a table, which takes milliseconds.
    case .unsupported: tables.lazy.compactMap { ends.uid(in: text($0)) }.first
    }
  }

  static func end(
    _ socket: Int32, _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> (address: UInt32, port: UInt16)? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(socket, $0, &length) }
    }
    guard status == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return (address.sin_addr.s_addr, UInt16(bigEndian: address.sin_port))
  }

  /// The two ends of a connection as the client's row has them.
  struct Ends {
    enum Owner: Equatable {
      case found(UInt32)
      case none
      /// The kernel answers no such question.
      case unsupported
    }

    /// Addresses in network order, as `s_addr` has them; ports as numbers.
    let client: (address: UInt32, port: UInt16)
    let server: (address: UInt32, port: UInt16)

    /// The user of an established connection's client end.
    var owner: Owner {
      var uid: UInt32 = 0
      return
        switch settled_tcp_owner(
          client.address, client.port.bigEndian, server.address, server.port.bigEndian, &uid)
      {
      case 1: .found(uid)
      case 0: .none
      default: .unsupported
      }
    }

    /// The same from one of the kernel's tables. An IPv4 connection of an IPv6 socket has mapped addresses there.
    func uid(in table: String) -> UInt32? {
      let rows = ["", "0000000000000000FFFF0000"].map { prefix in
        [client, server].map { prefix + Self.hex($0.address, 8) + ":" + Self.hex(UInt32($0.port), 4) }
          .joined(separator: " ")
      }
      for line in table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst() {
        let fields = line.split(separator: UInt8(ascii: " ")).prefix(8).map { String(Substring($0)) }
        if fields.count == 8, fields[3] == "01", rows.contains(fields[1] + " " + fields[2]) { return UInt32(fields[7]) }
      }
      return nil
    }

    private static func hex(_ value: UInt32, _ digits: Int) -> String {
      let text = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: digits - text.utf8.count) + text
    }
  }

  static func text(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 * 1024)
    while bytes.count < bytesMax {
      let count = read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
