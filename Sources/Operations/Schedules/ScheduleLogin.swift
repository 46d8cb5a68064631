import Scheduling
import Postgres

/// Whether the daemon can log in as the role of operators' functions.
struct ScheduleLogin: Sendable {
  let options: ConnectionOptions

  /// Throws the error of `schedule add` if operators' functions cannot run at all.
  func check() async throws {
    let login = await login()
    guard login.isOk else {
      throw CommandError(
        .refused, rule: "schedule-login", login.finding + (login.remedy.map { ": " + $0 } ?? ""))
    }
  }

  /// A role may change its own settings, and so the environment of every later run: `doctor` names them.
  ///
  /// Their values may be secrets. Settings made by `migrate` are left out.
  private static let roleOfSession: Statement = """
    SELECT session_user::text, (
      SELECT coalesce(array_agg(DISTINCT split_part(c.setting, '=', 1) ORDER BY split_part(c.setting, '=', 1))
        FILTER (WHERE lower(split_part(c.setting, '=', 1)) || substr(c.setting, strpos(c.setting, '='))
          <> ALL (\(ConnectionOptions.pinned.map { "\($0)=\($1)" }))), '{}')
      FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c(setting)
      WHERE s.setrole = (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = session_user)
        AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())))
    """

  /// Whether operators' functions can run at all.
  func login() async -> Check.Finding {
    guard !options.poolsTransactions else {
      return .init(
        "operators' functions need their own sessions, which a proxy that pools transactions does not provide",
        ok: false,
        remedy: "point schedules_database_url at the database itself, bypassing the proxy")
    }
    do {
      let connection = try await Connection.connect(options)
      let (role, settings) = try await connection.query(Self.roleOfSession).one(String.self, [String].self)
      await connection.close()
      guard role == OperatorRun.role else {
        return .init(
          "schedules_database_url logs in as \(role)", ok: false,
          remedy: "operators' functions run only as \(OperatorRun.role)")
      }
      let own = settings.isEmpty ? "" : ", which has its own settings: \(settings.joined(separator: ", "))"
      return .init("the daemon can log in as \(OperatorRun.role)\(own)")
    } catch {
      return .init(
        "the daemon cannot log in as \(OperatorRun.role) (\(error))", ok: false,
        remedy: "allow that role to log in (pg_hba.conf, ALTER ROLE: LOGIN, CONNECTION LIMIT), "
          + "or set schedules_database_url")
    }
  }

  /// The check of `doctor`: without operators' schedules the login is not needed.
  var doctorCheck: Check {
    Check("schedule login") { transaction in
      let isNeeded = try await transaction.query("SELECT EXISTS (SELECT FROM settled.schedule WHERE call IS NOT NULL)")
        .one(Bool.self)
      return isNeeded ? await login() : .init("no operator's schedule needs the \(OperatorRun.role) login")
    }
  }
}
