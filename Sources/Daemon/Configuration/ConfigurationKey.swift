/// The keys of the configuration file; the environment variable of each is its name in capitals after `SETTLED_`.
enum ConfigurationKey: String, CaseIterable, Sendable {
  case databaseURL = "database_url"
  case stateDirectory = "state_directory"
  case logLevel = "log_level"
  case preparedStatements = "prepared_statements"
  case node = "node"

  var variable: String { "SETTLED_" + rawValue.uppercased() }

  /// Nil: there is none, the key must be given.
  var defaultValue: String? {
    switch self {
    case .databaseURL: nil
    case .stateDirectory: "/var/lib/settled"
    case .logLevel: "info"
    case .preparedStatements: "on"
    case .node: ""
    }
  }
}
