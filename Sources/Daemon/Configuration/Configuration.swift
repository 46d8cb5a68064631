package import ConfigurationFiles
import ControlAPI
package import Logging
import Postgres

/// The connections and paths of the daemon. The rules of the systems are rows of `settled.setting`, not configuration.
package struct Configuration: Sendable, Equatable {
  package var databaseURL: String
  /// The URL for operators' functions; empty: the database's URL with the user settled_schedule and no password.
  package var schedulesDatabaseURL: String
  package var stateDirectory: String
  package var logLevel: Logger.Level
  package var preparedStatements: Bool
  /// How many batches of races this node settles at once.
  package var settlementLanes: Int
  package var node: String
  package var controlSocket: String
  package var healthSocket: String
  package var groups: SocketGroups
  package var provider: ProviderConfiguration
  /// Warnings about settings that work but should be changed: one line each.
  package var warnings: [String]

  /// Reads `key = value` lines, then overrides them with environment variables and credentials.
  ///
  /// Throws `ConfigurationError` naming file, line and key of every error. `hostName` is the default of `node`.
  package init(
    _ sources: ConfigurationSources<DaemonKey>, hostName: String
  ) throws(ConfigurationError) {
    var values = ConfigurationValues(sources)
    func text(_ key: DaemonKey, _ problem: (String) -> String?) -> String {
      values.read(key, else: "") { values throws(ConfigurationError) in try values.text(key, problem: problem) }
    }
    databaseURL = text(.databaseURL, Self.problem(ofURL:))
    schedulesDatabaseURL = text(.schedulesDatabaseURL) { $0.isEmpty ? nil : Self.problem(ofURL: $0) }
    stateDirectory = text(.stateDirectory) { $0.hasPrefix("/") ? nil : "must be an absolute path" }
    logLevel = values.read(.logLevel, else: .info) { values throws(ConfigurationError) in
      try values.choice(.logLevel, Dictionary(uniqueKeysWithValues: Logger.Level.allCases.map { ("\($0)", $0) }))
    }
    preparedStatements = values.read(.preparedStatements, else: true) { values throws(ConfigurationError) in
      try values.choice(.preparedStatements, ["on": true, "off": false])
    }
    settlementLanes = values.read(.settlementLanes, else: 2) { values throws(ConfigurationError) in
      try values.choice(.settlementLanes, Dictionary(uniqueKeysWithValues: (1...4).map { ("\($0)", $0) }))
    }
    let node = text(.node) { $0.count > 200 ? "is longer than 200 characters" : nil }
    self.node = node.isEmpty ? hostName : node
    let control = text(.controlSocket, Self.pathProblem)
    controlSocket = control
    healthSocket = text(.healthSocket) { path in
      path == control ? "must not be the path of control_socket" : Self.pathProblem(path)
    }
    groups = SocketGroups(&values)
    provider = ProviderConfiguration(&values, environment: sources.environment)
    warnings =
      [(DaemonKey.databaseURL, databaseURL), (.schedulesDatabaseURL, schedulesDatabaseURL)]
      .compactMap { key, url in ConnectionOptions(url: url).hasPassword ? values.secretWarning(key, "a password") : nil
      }
      + [.providerClientSecret, .tokenKey, .tokenKeyOld].compactMap { (key: DaemonKey) in
        values.isDefault(key) ? nil : values.secretWarning(key, "a secret")
      }
    if !provider.clientID.isEmpty, provider.tokenKey.isEmpty {
      warnings.append("strava_client_id is set, but the token-key credential is missing: tokens will not be refreshed")
    }
    guard values.errors.isEmpty else { throw ConfigurationError(values.errors) }
  }

  private static func pathProblem(_ path: String) -> String? {
    if !path.hasPrefix("/") { return "must be an absolute path" }
    return path.utf8.count > 100 ? "is longer than the 100 bytes allowed for a socket's path" : nil
  }

  private static func problem(ofURL url: String) -> String? {
    if url.isEmpty { return "must not be empty" }
    do {
      try ConnectionOptions(url: url).checkURL()
      return nil
    } catch {
      return error.message
    }
  }

  /// All defaults but the database, for programs that run a daemon inside.
  package init(databaseURL: String, node: String) {
    self.databaseURL = databaseURL
    self.node = node
    schedulesDatabaseURL = ""
    stateDirectory = "/var/lib/settled"
    logLevel = .info
    preparedStatements = true
    settlementLanes = 2
    controlSocket = ControlDefaults.controlSocket
    healthSocket = ControlDefaults.healthSocket
    groups = .ownOnly
    provider = ProviderConfiguration()
    warnings = []
  }
}
