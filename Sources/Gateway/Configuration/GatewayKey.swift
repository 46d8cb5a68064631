import ConfigurationFiles

/// The keys of the configuration file; the environment variable of each is its name in capitals after
/// `SETTLED_GATEWAY_`.
package enum GatewayKey: String, ConfigurationKey {
  case listen = "listen"
  case listenGroup = "listen_group"
  case healthSocket = "health_socket"
  case databaseURL = "database_url"
  case readDatabaseURL = "read_database_url"
  case preparedStatements = "prepared_statements"
  case publicURL = "public_url"
  case corsOrigins = "cors_origins"
  case systems = "systems"
  case issuers = "issuers"
  case sendmail = "sendmail"
  case trustedProxies = "trusted_proxies"
  case logLevel = "log_level"
  case signingKey = "signing_key"
  case signingKeysOld = "signing_keys_old"
  case headerBytesMax = "max_header_bytes"
  case bodyBytesMax = "max_body_bytes"
  case activityBytesMax = "max_activity_bytes"
  case bodiesBytesMax = "max_bodies_bytes"
  case jsonDepthMax = "max_json_depth"
  case connectionsMax = "max_connections"
  case connectionsPerAddressMax = "max_connections_per_address"
  case idleSeconds = "idle_timeout"
  case headSeconds = "head_timeout"
  case bodySeconds = "body_timeout"
  case requestSeconds = "request_timeout"
  case poolSize = "pool_size"
  case writesPerSecond = "writes_per_second"
  case writesBurst = "writes_burst"
  case paymentsPerSecond = "payments_per_second"
  case concurrentWrites = "concurrent_writes"
  case concurrentImports = "concurrent_imports"
  case flagsPerMinute = "flags_per_minute"
  case attemptsPerMinute = "attempts_per_minute"
  case passwordQueue = "password_queue"

  package static let variablePrefix = "SETTLED_GATEWAY_"

  package static func isForeign(_ variable: String) -> Bool { variable.hasPrefix("SETTLED_GATEWAY_TEST_") }

  package var credential: String? {
    switch self {
    case .databaseURL: "database-url"
    case .readDatabaseURL: "read-database-url"
    case .signingKey: "gateway-signing-key"
    case .signingKeysOld: "gateway-signing-keys-old"
    default: nil
    }
  }

  package var defaultValue: String? {
    switch self {
    case .databaseURL, .publicURL: nil
    case .listen: "127.0.0.1:8080"
    case .healthSocket: "/run/settled-gateway/health.sock"
    case .preparedStatements: "on"
    case .systems: System.allCases.map(\.rawValue).joined(separator: ",")
    case .logLevel: "info"
    case .listenGroup, .readDatabaseURL, .corsOrigins, .issuers, .sendmail, .trustedProxies, .signingKey,
      .signingKeysOld:
      ""
    case .headerBytesMax: "16384"
    case .bodyBytesMax: "65536"
    case .activityBytesMax: "8388608"
    case .bodiesBytesMax: "67108864"
    case .jsonDepthMax: "32"
    case .connectionsMax: "1024"
    case .connectionsPerAddressMax: "256"
    case .idleSeconds, .bodySeconds: "30"
    case .headSeconds, .requestSeconds: "10"
    case .poolSize: "16"
    case .writesPerSecond: "20"
    case .writesBurst: "40"
    case .paymentsPerSecond: "200"
    case .concurrentWrites, .concurrentImports: "4"
    case .flagsPerMinute, .attemptsPerMinute: "10"
    case .passwordQueue: "48"
    }
  }
}
