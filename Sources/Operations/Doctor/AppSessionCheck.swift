import Postgres

/// Whether the apps' logins have an idle transaction timeout.
///
/// A hanging transaction keeps its rows locked: items that need them are neither settled nor paid until it ends.
enum AppSessionCheck {
  static let remedy = "ALTER ROLE ... SET idle_in_transaction_session_timeout = '30s'"

  static let check = Check("apps' transactions") { transaction in
    let logins = try await transaction.query(Self.logins).decode(String.self)
    guard !logins.isEmpty else { return .init("every app login has an idle-in-transaction timeout") }
    let named = logins.prefix(5).joined(separator: ", ") + (logins.count > 5 ? ", ..." : "")
    return .init(
      "no idle_in_transaction_session_timeout: \(named)", ok: false, remedy: remedy)
  }

  /// Logins with the rights of settled_app for which neither role nor database has the setting. The server's own
  /// configuration is not visible here, because this session has its own value.
  static let logins: Statement = """
    SELECT r.rolname::text FROM pg_roles AS r JOIN pg_roles AS app ON app.rolname = 'settled_app'
    WHERE r.rolcanlogin AND NOT r.rolsuper AND pg_has_role(r.oid, app.oid, 'MEMBER') AND NOT EXISTS (
      SELECT FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c
      WHERE s.setrole IN (0, r.oid)
        AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database()))
        AND c LIKE 'idle\\_in\\_transaction\\_session\\_timeout=%' AND c NOT LIKE '%=0')
    ORDER BY 1
    """
}
