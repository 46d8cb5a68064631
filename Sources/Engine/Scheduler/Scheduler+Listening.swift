package import Postgres

extension Scheduler {
  /// The channel on which writers notify.
  package static let channel = "settled"

  /// Makes all nodes poll immediately.
  package static let wakeUp: Statement = "SELECT settled.notify('')"

  /// Forwards notifications, and reports when they do not arrive.
  ///
  /// Behind a proxy that pools transactions none would arrive, although LISTEN succeeds: there the node does not
  /// listen.
  func follow(_ listener: Listener) async {
    guard options.ownsSessions else { return name.leaveUnproven() }
    var lastError: PostgresError?
    for await event in listener.events {
      switch event {
      case .listening:
        lastError = nil
        observe(.listening)
        events.listen(true)
      case .notification(let notification): events.hear(notification)
      case .lost(let error):
        // Each attempt fails; each kind of error is reported once.
        if lastError?.isSameKind(as: error) != true { observe(.listenLost(error)) }
        lastError = error
        events.listen(false)
      case .refused: stop()
      }
    }
  }
}

extension PostgresError {
  func isSameKind(as other: PostgresError) -> Bool { code == other.code && sqlState == other.sqlState }
}
