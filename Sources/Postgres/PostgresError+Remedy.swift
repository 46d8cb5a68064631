extension PostgresError {
  /// What lets a role in that the server refused; nil where it refused nobody, or in a language that is not English.
  package var loginRemedy: String? {
    guard code == .connection || isOfLogin || isDenied else { return nil }
    if message.contains("no pg_hba.conf entry") {
      return "add a line for this role, database and address to pg_hba.conf on the server, and reload PostgreSQL"
    }
    if message.contains("eer authentication failed") {
      return "map the system user to this role: set map=settled in pg_hba.conf, and add the user to pg_ident.conf"
    }
    if message.contains("password authentication failed") || message.contains("no password supplied") {
      return "put the role's password in this URL's credential"
    }
    if message.contains("is not permitted to log in") { return "ALTER ROLE ... LOGIN" }
    if message.contains("permission denied for database") { return "GRANT CONNECT ON DATABASE ... TO this role" }
    guard message.contains("does not exist") else { return nil }
    if message.contains("role \"") { return "settled migrate creates missing roles" }
    return message.contains("database \"") ? "create the database (createdb), then run settled migrate" : nil
  }
}
