import Glibc
import NIOCore

/// The client at the other end of a connection.
package enum Client: Sendable, Equatable {
  /// A process of this machine, on a unix socket.
  case peer(Peer)
  /// A numeric address, on an internet socket; an IPv4 address stands as such on an IPv6 socket, too.
  case address(String)

  /// Who has a share of the connections: a user of this machine, or an address, of IPv6 its /64.
  var sharer: String {
    switch self {
    case .peer(let peer): "uid \(peer.uid)"
    case .address(let text): Self.network(of: text) ?? text
    }
  }

  /// The first 64 bits of an IPv6 address, which one customer has for himself.
  private static func network(of address: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let numeric = String(address.prefix { $0 != "%" })
    guard numeric.contains(":"), inet_pton(AF_INET6, numeric, &bytes) == 1 else { return nil }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
  }

  /// Nil where the connection is gone, or where the kernel does not say.
  init?(_ channel: any Channel) {
    if let address = channel.remoteAddress?.ipAddress {
      let mapped = "::ffff:"
      self = .address(
        address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address)
      return
    }
    let peer = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: Int32.self) { Peer(socket: $0) }
    guard let peer = peer ?? nil else { return nil }
    self = .peer(peer)
  }
}
