package import Postgres

/// Runs an operator's function, logged in as `settled_schedule` on a connection of its own.
///
/// Inside the daemon's session, even under SECURITY DEFINER, a deferred trigger of the callee would run at COMMIT with
/// the daemon's rights, and settings, locks and temporary tables would stay behind.
package struct OperatorRun: Sendable {
  package static let role = "settled_schedule"
  private static let grace: Duration = .seconds(2)
  let options: ConnectionOptions

  package init(options: ConnectionOptions) {
    self.options = options
  }

  /// What a run's session is connected with; the time-out comes with the run.
  var session: ConnectionOptions {
    var options = options
    options.statementTimeout = .zero
    // The server notices while a function runs that nobody waits for it any more.
    options.settings["client_connection_check_interval"] = "1s"
    options.preparedStatements = false
    return options
  }

  /// Runs the function in a session that its occurrence was handed to, which ends it in the function's own transaction.
  ///
  /// A function that swallows its time-out loses its session a little later: the server ends it without asking.
  static func carryOut(_ run: ClaimedOccurrence, on session: RunSession, time: Timekeeper) async throws {
    let session = session.connection
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await call(run, on: session) }
      group.addTask {
        try await time.sleep(run.timeout + Self.grace)
        throw EngineError(.notAllowed, "the run went on after its time-out, and its session was closed")
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

  /// Throws the refusal of `schedule add` where operators' functions cannot be run at all.
  func check() async throws {
    let login = await login()
    guard login.isOk else {
      throw CommandError(
        .refused, rule: "schedule-login", login.finding + (login.remedy.map { ": " + $0 } ?? ""))
    }
  }

  /// A role may change its own settings, and so what the functions of every later run meet: `doctor` names them.
  ///
  /// Their values may be secrets. Those that `migrate` gave the role are left out.
  private static let roleOfSession: Statement = """
    SELECT session_user::text, (
      SELECT coalesce(array_agg(DISTINCT split_part(c.setting, '=', 1) ORDER BY split_part(c.setting, '=', 1))
        FILTER (WHERE lower(split_part(c.setting, '=', 1)) || substr(c.setting, strpos(c.setting, '='))
          <> ALL (\(ConnectionOptions.pinned.map { "\($0)=\($1)" }))), '{}')
      FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c(setting)
      WHERE s.setrole = (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = session_user)
        AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())))
    """

  /// Whether operators' functions can be run at all.
  func login() async -> Check.Finding {
    guard !options.poolsTransactions else {
      return .init(
        "operators' functions need sessions of their own, which a proxy that pools transactions does not give",
        ok: false,
        remedy: "set schedules_database_url to the database itself, past the proxy")
    }
    do {
      let connection = try await Connection.connect(options)
      let (role, settings) = try await connection.query(Self.roleOfSession).one(String.self, [String].self)
      await connection.close()
      guard role == Self.role else {
        return .init(
          "schedules_database_url logs in as \(role)", ok: false,
          remedy: "operators' functions run as \(Self.role) only")
      }
      let own = settings.isEmpty ? "" : ", which has settings of its own: \(settings.joined(separator: ", "))"
      return .init("the daemon can log in as \(Self.role)\(own)")
    } catch {
      return .init(
        "the daemon cannot log in as \(Self.role) (\(error))", ok: false,
        remedy: "let that role log in (pg_hba.conf, ALTER ROLE: LOGIN, CONNECTION LIMIT), or set schedules_database_url"
      )
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

  /// The daemon's own URL with this user and without its password, as libpq reads it: the last word wins.
  package static func url(from daemon: String) -> String {
    if daemon.hasPrefix("postgres://") || daemon.hasPrefix("postgresql://") {
      return daemon + (daemon.contains("?") ? "&" : "?") + "user=\(role)&password="
    }
    return daemon + " user=\(role) password=''"
  }
}
