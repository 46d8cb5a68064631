package import Postgres

extension Scheduler {
  /// The channel on which writers notify.
  package static let channel = "settled"

  /// Makes all nodes look at once.
  package static let wakeUp: Statement = "SELECT settled.notify('')"

  /// Passes notifications on, and reports when they do not come.
  ///
  /// Behind a proxy that pools transactions none would come, although LISTEN succeeds: nothing is followed there.
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
