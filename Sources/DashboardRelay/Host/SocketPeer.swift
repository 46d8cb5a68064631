import CPlatform
import Glibc
import NIOCore

/// Who is at the other end of a unix socket.
enum SocketPeer {
  /// On the channel's event loop; nil where the kernel does not have it.
  static func uid(of channel: any Channel) -> UInt32? {
    let uid = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: Int32.self) { credentials($0) }
    return uid ?? nil
  }

  private static func credentials(_ socket: Int32) -> UInt32? {
    var credentials = settled_credentials()
    var length = socklen_t(MemoryLayout<settled_credentials>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0,
      length == MemoryLayout<settled_credentials>.size
    else { return nil }
    return credentials.uid
  }
}
