internal import CLibpq

/// Receives a connection's notices, and keeps the one with which the server ended the session.
///
/// Confined to the connection's queue after connecting.
final class NoticeSink: @unchecked Sendable {
  private let hook: (@Sendable (ServerMessage) -> Void)?
  private(set) var terminationNotice: ServerMessage?

  /// The server gave up its wait for a synchronous standby: what was committed stands here, but perhaps nowhere else.
  private(set) var isReplicationUnconfirmed = false

  init(hook: (@Sendable (ServerMessage) -> Void)?) {
    self.hook = hook
  }

  func attach(to connection: OpaquePointer) {
    let receiver: PQnoticeReceiver = { sink, result in
      guard let sink, let message = ServerMessage(result: result) else { return }
      Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().receive(message)
    }
    PQsetNoticeReceiver(connection, receiver, Unmanaged.passUnretained(self).toOpaque())
  }

  private func receive(_ message: ServerMessage) {
    if message.isTerminationNotice { terminationNotice = message }
    if message.isReplicationUnconfirmed { isReplicationUnconfirmed = true }
    hook?(message)
  }
}
