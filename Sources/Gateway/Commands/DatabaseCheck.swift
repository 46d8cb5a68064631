import HostProcess
import Postgres

/// The checks that `check-config` makes of a database: whether the gateway could serve with it.
enum DatabaseCheck {
  /// Settings that work and ought to be changed: one line each.
  ///
  /// Throws `Exit`: 69 where the database is not reached, 78 where its role has not the functions.
  static func warnings(_ configuration: GatewayConfiguration) async throws -> [String] {
    let connection: Connection
    do {
      connection = try await Connection.connect(Database.options(configuration.databaseURL, configuration))
    } catch {
      throw Exit(.unavailable, "database_url: \(error)" + (error.loginRemedy.map { " (\($0))" } ?? ""))
    }
    do {
      let warnings = try await warnings(configuration, connection)
      await connection.close()
      return warnings + (await standby(configuration))
    } catch let error as PostgresError {
      await connection.close()
      throw Exit(.unavailable, "database_url: \(error)")
    } catch {
      await connection.close()
      throw error
    }
  }

  /// A standby that is away is no fault of the gateway: the main database answers meanwhile.
  private static func standby(_ configuration: GatewayConfiguration) async -> [String] {
    guard let url = configuration.readDatabaseURL else { return [] }
    do {
      await (try Connection.connect(Database.options(url, configuration))).close()
      return []
    } catch {
      return ["read_database_url: \(error)"]
    }
  }

  private static func warnings(
    _ configuration: GatewayConfiguration, _ connection: Connection
  ) async throws -> [String] {
    let (role, isThere) = try await connection.query(
      "SELECT current_user::text, to_regnamespace('gateway') IS NOT NULL"
    ).one(String.self, Bool.self)
    guard isThere else {
      throw Exit(.configuration, "database_url: the database has no gateway schema: run settled migrate")
    }
    let (missing, more) = try await connection.query(rights).one(Int64.self, Int64.self)
    guard missing == 0 else {
      throw Exit(
        .configuration,
        "database_url: role \(role) cannot call \(missing) of the gateway's functions: log in as settled_gateway")
    }
    var warnings: [String] = []
    if more > 0 {
      warnings.append(
        "database_url: the \(role) role has more privileges than a gateway needs: log in as settled_gateway")
    }
    let url = try await connection.query("SELECT gateway.public_url() #>> '{}'").one(String.self)
    if url != configuration.publicURL {
      warnings.append(
        "public_url: is \(configuration.publicURL), but links from settlectl account create begin with \(url): run "
          + "settlectl set \(SignIn.publicURLSetting) \(configuration.publicURL)")
    }
    return warnings
  }

  /// How many of the routes' functions may not be called, and how many others of the same owner may be. Two of the
  /// schema are the daemon's.
  private static let rights: Statement = """
    SELECT count(*) FILTER (WHERE g.is_route AND NOT g.may), count(*) FILTER (WHERE NOT g.is_route AND g.may)
    FROM (
      SELECT n.nspname = 'gateway' AND p.prosecdef AND p.proname <> ALL ('{erase_person,prune_answers}') AS is_route,
        has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE') AS may
      FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE n.nspname IN ('accounts', 'achievements', 'checkins', 'gateway', 'racing', 'seasons', 'settled', 'strava')
    ) AS g
    """
}
