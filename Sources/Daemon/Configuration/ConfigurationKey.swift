import ControlAPI

/// The keys of the configuration file; the environment variable of each is its name in capitals after `SETTLED_`.
enum ConfigurationKey: String, CaseIterable, Sendable {
  case databaseURL = "database_url"
  case stateDirectory = "state_directory"
  case logLevel = "log_level"
  case preparedStatements = "prepared_statements"
  case node = "node"
  case controlSocket = "control_socket"
  case healthSocket = "health_socket"
  case socketGroup = "socket_group"
  case operatorsGroup = "operators_group"
  case adminsGroup = "admins_group"
  case schedulesDatabaseURL = "schedules_database_url"

  static let defaultSocketGroup = "settled"

  var variable: String { "SETTLED_" + rawValue.uppercased() }

  /// Nil: there is none, the key must be given.
  var defaultValue: String? {
    switch self {
    case .databaseURL: nil
    case .stateDirectory: "/var/lib/settled"
    case .logLevel: "info"
    case .preparedStatements: "on"
    case .node, .operatorsGroup, .adminsGroup, .schedulesDatabaseURL: ""
    case .controlSocket: ControlDefaults.controlSocket
    case .healthSocket: ControlDefaults.healthSocket
    case .socketGroup: Self.defaultSocketGroup
    }
  }
}
