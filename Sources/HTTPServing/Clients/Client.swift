import NIOCore

/// The client at the other end of a connection.
package enum Client: Sendable, Equatable {
  /// A process of this machine, on a unix socket.
  case peer(Peer)
  /// A numeric address, on an internet socket; an IPv4 address stands as such on an IPv6 socket, too.
  case address(String)

  /// The user whose share of the connections this is one of; nil where the kernel does not say.
  var user: UInt32? {
    if case .peer(let peer) = self { peer.uid } else { nil }
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
