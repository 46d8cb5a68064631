import Glibc
import NIOCore

extension ChannelHandlerContext {
  /// Ends the connection with a reset: the other side gets an error, and no end of the data.
  func reset() {
    guard let socket = channel as? any SocketOptionProvider else { return close(promise: nil) }
    socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
      self.close(promise: nil)
    }
  }
}
