import NIOCore
import Synchronization

/// The other end of one connection: who it is is looked up once, at its first request.
final class Visitor: Sendable {
  private enum State {
    case unknown
    case known(UInt32?)
  }

  private let channel: any Channel
  private let state = Mutex(State.unknown)

  init(_ channel: any Channel) { self.channel = channel }

  func uid() async -> UInt32? {
    if case .known(let uid) = state.withLock({ $0 }) { return uid }
    let channel = channel
    // The kernel's table is read off the event loop.
    let uid: UInt32?
    if let remote = channel.remoteAddress, let local = channel.localAddress, case .v4 = remote {
      uid = LoopbackPeer.uid(remote: remote, local: local)
    } else {
      uid = (try? await channel.eventLoop.submit { SocketPeer.uid(of: channel) }.get()) ?? nil
    }
    state.withLock { $0 = .known(uid) }
    return uid
  }
}
