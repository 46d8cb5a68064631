import ConfigurationFiles
import ControlAPI

/// The keys of the configuration file; the environment variable of each is its name in capitals after `SETTLED_`.
package enum DaemonKey: String, ConfigurationKey {
  case databaseURL = "database_url"
  case stateDirectory = "state_directory"
  case logLevel = "log_level"
  case preparedStatements = "prepared_statements"
  case settlementLanes = "settlement_lanes"
  case node = "node"
  case controlSocket = "control_socket"
  case healthSocket = "health_socket"
  case socketGroup = "socket_group"
  case operatorsGroup = "operators_group"
  case adminsGroup = "admins_group"
  case schedulesDatabaseURL = "schedules_database_url"
  case providerOAuthBase = "strava_oauth_base"
  case providerAPIBase = "strava_api_base"
  case providerClientID = "strava_client_id"
  case providerClientSecret = "strava_client_secret"
  case tokenKey = "token_key"
  case tokenKeyOld = "token_key_old"
  case httpsProxy = "https_proxy"

  static let defaultSocketGroup = "settled"

  package static let variablePrefix = "SETTLED_"

  /// The variables that control tests, and those of the gateway.
  package static func isForeign(_ variable: String) -> Bool {
    variable.hasPrefix("SETTLED_TEST_") || variable == "SETTLED_SOAK" || variable.hasPrefix("SETTLED_GATEWAY_")
  }

  package var credential: String? {
    switch self {
    case .databaseURL: "database-url"
    case .schedulesDatabaseURL: "schedules-database-url"
    case .providerClientSecret: "strava-client-secret"
    case .tokenKey: "token-key"
    case .tokenKeyOld: "token-key-old"
    default: nil
    }
  }

  package var defaultValue: String? {
    switch self {
    case .databaseURL: nil
    case .stateDirectory: "/var/lib/settled"
    case .logLevel: "info"
    case .preparedStatements: "on"
    case .settlementLanes: "2"
    case .node, .operatorsGroup, .adminsGroup, .schedulesDatabaseURL, .providerClientID, .providerClientSecret,
      .tokenKey, .tokenKeyOld, .httpsProxy:
      ""
    case .providerOAuthBase: "https://www.strava.com"
    case .providerAPIBase: "https://www.strava.com/api/v3"
    case .controlSocket: ControlDefaults.controlSocket
    case .healthSocket: ControlDefaults.healthSocket
    case .socketGroup: Self.defaultSocketGroup
    }
  }
}
