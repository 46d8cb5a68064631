package import Postgres

/// Runs an operator's function, logged in as `settled_schedule` on a connection of its own.
///
/// Inside the daemon's session, even under SECURITY DEFINER, a deferred trigger of the callee would run at COMMIT with
/// the daemon's rights, and settings, locks and temporary tables would stay behind.
package struct OperatorRun: Sendable {
  package static let role = "settled_schedule"
  private static let grace: Duration = .seconds(2)
  let options: ConnectionOptions
  let pool: Pool

  package init(options: ConnectionOptions, pool: Pool) {
    self.options = options
    self.pool = pool
  }

  /// Hands the occurrence to a new back end, which ends it in the function's own transaction.
  ///
  /// A function that swallows its time-out loses its session a little later: the server ends it without asking.
  func carryOut(_ run: ClaimedOccurrence, time: Timekeeper) async throws {
    let connection = try await Connection.connect(limited(to: run.timeout))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.carryOut(run, on: connection) }
      group.addTask {
        try await time.sleep(run.timeout + Self.grace)
        throw EngineError(.notAllowed, "the run went on after its time-out, and its session was closed")
      }
      do {
        try await group.next()
      } catch {
        await connection.close()
        group.cancelAll()
        throw error
      }
      await connection.close()
      group.cancelAll()
    }
  }

  private func carryOut(_ run: ClaimedOccurrence, on connection: Connection) async throws {
    try await connection.transaction { [pool] transaction in
      try await transaction.execute(OccurrenceStatements.hold(run))
      let handed = try await pool.withConnection { daemon in
        try await daemon.execute(OccurrenceStatements.hand(run, to: connection.backendPID))
      }
      guard handed == 1 else { throw EngineError(.notAllowed, "the occurrence was taken over by another node") }
      let rows = try await transaction.query("SELECT count(*) FROM \(raw: run.call ?? "")").one(Int64.self)
      try await transaction.execute("SELECT settled.end_occurrence(\(rows))")
    }
  }

  /// A session that stops each of its statements, COMMIT with its deferred triggers included, at the time-out.
  private func limited(to timeout: Duration) -> ConnectionOptions {
    var options = options
    options.statementTimeout = timeout
    options.idleInTransactionTimeout = max(timeout, .seconds(10))
    // The server notices while a function runs that nobody waits for it any more.
    options.settings["client_connection_check_interval"] = "1s"
    options.preparedStatements = false
    return options
  }

  /// Throws the refusal of `schedule add` where operators' functions cannot be run at all.
  func check() async throws {
    let login = await login()
    guard login.isOk else {
      throw CommandError(
        .refused, rule: "schedule-login", login.finding + (login.remedy.map { ": " + $0 } ?? ""))
    }
  }

  /// Whether operators' functions can be run at all.
  func login() async -> Check.Finding {
    do {
      let connection = try await Connection.connect(options)
      let role = try await connection.query("SELECT session_user::text").one(String.self)
      await connection.close()
      guard role == Self.role else {
        return .init(
          "schedules_database_url logs in as \(role)", ok: false,
          remedy: "operators' functions run as \(Self.role) only")
      }
      return .init("the daemon can log in as \(Self.role)")
    } catch {
      return .init(
        "the daemon cannot log in as \(Self.role) (\(error))", ok: false,
        remedy: "admit that role in pg_hba.conf, or set schedules_database_url")
    }
  }

  /// What `doctor` asks: where nobody added a schedule, nobody needs the login.
  var doctorCheck: Check {
    Check("schedule login") { transaction in
      let isNeeded = try await transaction.query("SELECT EXISTS (SELECT FROM settled.schedule WHERE call IS NOT NULL)")
        .one(Bool.self)
      return isNeeded ? await login() : .init("no operator's schedule needs the login of \(Self.role)")
    }
  }

  /// The daemon's own URL with this user, as libpq reads it: the last word wins.
  package static func url(from daemon: String) -> String {
    if daemon.hasPrefix("postgres://") || daemon.hasPrefix("postgresql://") {
      return daemon + (daemon.contains("?") ? "&" : "?") + "user=\(role)"
    }
    return daemon + " user=\(role)"
  }
}
