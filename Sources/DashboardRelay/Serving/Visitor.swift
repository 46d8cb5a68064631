import NIOCore
import Synchronization

/// The other end of one connection: its user is looked up when it is accepted.
final class Visitor: Sendable {
  private let channel: any Channel
  private let known: Mutex<UInt32?>

  /// On the channel's event loop.
  init(_ channel: any Channel) {
    self.channel = channel
    known = Mutex(SocketPeer.uid(of: channel))
  }

  /// Nil where the kernel does not have it, which the next request asks again.
  func uid() async -> UInt32? {
    if let uid = known.withLock({ $0 }) { return uid }
    let channel = channel
    let uid = (try? await channel.eventLoop.submit { SocketPeer.uid(of: channel) }.get()) ?? nil
    known.withLock { $0 = uid }
    return uid
  }

  func isKnown(as uid: UInt32) -> Bool { known.withLock { $0 } == uid }
}
