import CPlatform
import Glibc
import NIOCore

/// Who is at the other end of a connection of this machine.
enum SocketPeer {
  /// On the channel's event loop; nil where the kernel does not have it.
  static func uid(of channel: any Channel) -> UInt32? {
    let uid = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: Int32.self) { socket in
      LoopbackPeer.uid(of: socket) ?? credentials(socket)
    }
    return uid ?? nil
  }

  /// Of a unix socket, and of no other.
  private static func credentials(_ socket: Int32) -> UInt32? {
    var domain: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0, domain == AF_UNIX else { return nil }
    var credentials = settled_credentials()
    var length = socklen_t(MemoryLayout<settled_credentials>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
      length == MemoryLayout<settled_credentials>.size
    else { return nil }
    return credentials.uid
  }
}
