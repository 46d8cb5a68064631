import Engine
package import Postgres

/// Runs an operator's function, logged in as `settled_schedule` on its own connection.
///
/// Inside the daemon's session, even under SECURITY DEFINER, a deferred trigger of the callee would run at COMMIT with
/// the daemon's rights, and settings, locks and temporary tables would stay behind.
package struct OperatorRun: Sendable {
  package static let role = "settled_schedule"
  private static let grace: Duration = .seconds(2)
  private let options: ConnectionOptions

  package init(options: ConnectionOptions) {
    self.options = options
  }

  /// The connection options of a run's session; the timeout comes with the run.
  var session: ConnectionOptions {
    var options = options
    options.statementTimeout = .zero
    // The server checks while a function runs whether its client is still connected.
    options.settings["client_connection_check_interval"] = "1s"
    options.preparedStatements = false
    return options
  }

  /// Runs the function in the session that its occurrence was assigned to; the occurrence ends in the function's own
  /// transaction.
  ///
  /// A function that catches its timeout loses its session a little later: the server terminates it.
  static func carryOut(_ run: ClaimedOccurrence, on session: RunSession, time: Timekeeper) async throws {
    let session = session.connection
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await call(run, on: session) }
      group.addTask {
        try await time.sleep(run.timeout + Self.grace)
        throw EngineError(.notAllowed, "the run exceeded its timeout, so its session was closed")
      }
      do {
        try await group.next()
      } catch {
        await session.close()
        group.cancelAll()
        throw error
      }
      group.cancelAll()
    }
  }

  /// All in one round trip: the lock that proves the run, the function, and the end of its occurrence.
  private static func call(_ run: ClaimedOccurrence, on session: Connection) async throws {
    try await session.transaction { transaction in
      // These stop each statement of the transaction, COMMIT with its deferred triggers included.
      transaction.beforeCommit(
        """
        SELECT set_config('statement_timeout', \(milliseconds(run.timeout)), true),
          set_config('idle_in_transaction_session_timeout', \(milliseconds(max(run.timeout, .seconds(10)))), true),
          settled.begin_occurrence(\(run.schedule), \(run.instant))
        """)
      transaction.beforeCommit("SELECT settled.end_occurrence(count(*)) FROM \(raw: run.call ?? "")")
    }
  }

  private static func milliseconds(_ duration: Duration) -> String { "\(duration.milliseconds)ms" }

  /// The daemon's own URL with this user and without its password, as libpq reads it: the last occurrence of a word
  /// wins.
  package static func url(from daemon: String) -> String {
    if daemon.hasPrefix("postgres://") || daemon.hasPrefix("postgresql://") {
      return daemon + (daemon.contains("?") ? "&" : "?") + "user=\(role)&password="
    }
    return daemon + " user=\(role) password=''"
  }
}
