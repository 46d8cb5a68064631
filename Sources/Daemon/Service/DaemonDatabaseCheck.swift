import Engine
import HostProcess
import Postgres
import Scheduling

/// The checks that `check-config` makes of a database: whether the daemon could work with it.
enum DaemonDatabaseCheck {
  /// Warnings about settings that work but should be changed: one line each.
  ///
  /// Throws `Exit`: 69 if the database is unreachable, and as `run` does if its schema is not this program's.
  static func warnings(_ configuration: Configuration) async throws -> [String] {
    let connection = try await connect(Service.connections(configuration), "database_url")
    do {
      let warnings = try await warnings(connection)
      await connection.close()
      return warnings + (await schedules(configuration))
    } catch {
      await connection.close()
      if let error = error as? EngineError { throw Exit(error) }
      throw error is Exit ? error : Exit(.unavailable, "database_url: \(error)")
    }
  }

  private static func warnings(_ connection: Connection) async throws -> [String] {
    if let refusal = try await DatabaseRefusal.any(connection) { throw refusal }
    if let refusal = try await SchemaState.read(Migrations(), from: connection).refusal { throw refusal }
    let (role, isDaemon) = try await connection.query(
      """
      SELECT current_user::text, to_regrole('settled_daemon') IS NULL
        OR NOT r.rolsuper AND pg_has_role(r.oid, to_regrole('settled_daemon'), 'USAGE')
      FROM pg_roles AS r WHERE r.rolname = current_user
      """
    ).one(String.self, Bool.self)
    return isDaemon ? [] : ["database_url: logs in as \(role), but a daemon needs the privileges of settled_daemon"]
  }

  /// If operators' functions cannot run, everything else still does.
  private static func schedules(_ configuration: Configuration) async -> [String] {
    do {
      await (try connect(Service.operators(configuration), "schedules_database_url")).close()
      return []
    } catch {
      return ["operators' schedules cannot run: \(error)"]
    }
  }

  private static func connect(_ options: ConnectionOptions, _ key: String) async throws -> Connection {
    do {
      return try await Connection.connect(options)
    } catch {
      throw Exit(.unavailable, "\(key): \(error)" + (error.loginRemedy.map { " (\($0))" } ?? ""))
    }
  }
}
