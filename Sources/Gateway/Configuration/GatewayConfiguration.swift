package import ConfigurationFiles
import FoundationEssentials
package import HTTPServing
package import Logging
import Postgres

/// How the gateway is reached, and how it reaches what it needs.
package struct GatewayConfiguration: Sendable {
  package var listen: SocketSource
  /// Whose members may connect to the path that is listened on; nil: those of the gateway's own group.
  package var listenGroup: UInt32?
  package var healthSocket: String
  package var databaseURL: String
  /// A standby that may be slightly old; nil: the database answers everything.
  package var readDatabaseURL: String?
  package var preparedStatements: Bool
  /// Where clients reach the gateway: issuer and audience of its tokens, and the beginning of links.
  package var publicURL: String
  /// Origins of web pages that may call: `https://app.example`.
  package var corsOrigins: Set<String>
  package var systems: Set<System>
  /// Nil: only the gateway's own tokens are good.
  package var issuersFile: String?
  /// Nil: no mail is sent.
  package var sendmail: String?
  /// The proxies whose X-Forwarded-For counts.
  package var trustedProxies: TrustedProxies
  package var logLevel: Logger.Level
  /// PEM; nil: no token is signed.
  package var signingKey: String?
  package var oldSigningKeys: String?
  package var limits: GatewayLimits
  /// Settings that work and ought to be changed: one line each.
  package var warnings: [String]

  /// Throws `ConfigurationError` naming file, line and key of everything that is wrong.
  package init(_ sources: ConfigurationSources<GatewayKey>) throws(ConfigurationError) {
    var values = ConfigurationValues(sources)
    func text(_ key: GatewayKey, _ problem: (String) -> String? = { _ in nil }) -> String {
      values.read(key, else: "") { values throws(ConfigurationError) in try values.text(key, problem: problem) }
    }
    func optional(_ key: GatewayKey, _ problem: (String) -> String? = { _ in nil }) -> String? {
      let value = text(key) { $0.isEmpty ? nil : problem($0) }
      return value.isEmpty ? nil : value
    }
    listen = SocketSource(text(.listen, Self.listenProblem)) ?? .path("")
    let group = optional(.listenGroup, Self.groupProblem)
    listenGroup = group.flatMap { try? SystemGroup.number(of: $0) }
    healthSocket = text(.healthSocket, Self.socketProblem)
    databaseURL = text(.databaseURL) { $0.isEmpty ? "must not be empty" : Self.databaseProblem($0) }
    readDatabaseURL = optional(.readDatabaseURL, Self.databaseProblem)
    preparedStatements = values.read(.preparedStatements, else: true) { values throws(ConfigurationError) in
      try values.choice(.preparedStatements, ["on": true, "off": false])
    }
    publicURL = text(.publicURL, Self.publicURLProblem)
    let origins = text(.corsOrigins) { Self.words($0).lazy.compactMap(Self.originProblem).first }
    corsOrigins = Set(Self.words(origins))
    let systems = text(.systems) { Self.words($0).lazy.compactMap(Self.systemProblem).first }
    self.systems = Set(Self.words(systems).compactMap { System(rawValue: $0) })
    issuersFile = optional(.issuers, Self.pathProblem)
    sendmail = optional(.sendmail, Self.pathProblem)
    let proxies = text(.trustedProxies) { text in
      guard let bad = TrustedProxies.firstBad(text) else {
        return TrustedProxies(text) == nil ? "has more than \(TrustedProxies.countMax) networks" : nil
      }
      return "\(bad) is not an address or a network, such as 10.0.0.0/8"
    }
    trustedProxies = TrustedProxies(proxies) ?? TrustedProxies()
    logLevel = values.read(.logLevel, else: .info) { values throws(ConfigurationError) in
      try values.choice(.logLevel, Dictionary(uniqueKeysWithValues: Logger.Level.allCases.map { ("\($0)", $0) }))
    }
    signingKey = optional(.signingKey)
    oldSigningKeys = optional(.signingKeysOld)
    limits = GatewayLimits(&values)
    warnings =
      [(GatewayKey.databaseURL, databaseURL), (.readDatabaseURL, readDatabaseURL ?? "")].compactMap { key, url in
        ConnectionOptions(url: url).hasPassword ? values.secretWarning(key, "a password") : nil
      } + [signingKey == nil ? nil : values.secretWarning(.signingKey, "a secret")].compactMap { $0 }
    guard values.errors.isEmpty else { throw ConfigurationError(values.errors) }
  }

  /// All defaults but where the database is, for programs that run a gateway inside.
  package init(databaseURL: String, listen: SocketSource, healthSocket: String, publicURL: String) {
    self.databaseURL = databaseURL
    self.listen = listen
    self.healthSocket = healthSocket
    self.publicURL = publicURL
    preparedStatements = true
    corsOrigins = []
    systems = Set(System.allCases)
    trustedProxies = TrustedProxies()
    logLevel = .info
    limits = GatewayLimits()
    warnings = []
  }
}

extension GatewayConfiguration {
  private static func words(_ text: String) -> [String] {
    text.split { $0 == "," || $0.isWhitespace }.map(String.init)
  }

  private static func listenProblem(_ text: String) -> String? {
    if text.hasPrefix("/") { return socketProblem(text) }
    return SocketSource(text) == nil ? "must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080, or a path" : nil
  }

  private static func socketProblem(_ path: String) -> String? {
    if !path.hasPrefix("/") { return "must be an absolute path" }
    return path.utf8.count > 100 ? "is longer than the 100 bytes allowed for a socket's path" : nil
  }

  private static func groupProblem(_ name: String) -> String? {
    do {
      return try SystemGroup.number(of: name) == nil ? "group \(name) does not exist" : nil
    } catch {
      return error.description
    }
  }

  private static func pathProblem(_ path: String) -> String? {
    path.hasPrefix("/") ? nil : "must be an absolute path"
  }

  private static func databaseProblem(_ url: String) -> String? {
    do {
      try ConnectionOptions(url: url).checkURL()
      return nil
    } catch {
      return error.message
    }
  }

  private static func publicURLProblem(_ url: String) -> String? {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.user == nil,
      parts.query == nil, parts.fragment == nil, !url.hasSuffix("/"), ["http", "https"].contains(parts.scheme)
    else { return "must be an http or https URL without a user, a query or a trailing slash" }
    return nil
  }

  private static func originProblem(_ origin: String) -> String? {
    guard let parts = URLComponents(string: origin), ["http", "https"].contains(parts.scheme), parts.host != nil,
      parts.path.isEmpty, publicURLProblem(origin) == nil
    else { return "\(origin) is not an origin, such as https://app.example" }
    return nil
  }

  private static func systemProblem(_ name: String) -> String? {
    guard System(rawValue: name) == nil else { return nil }
    return "\(name) is not one of \(System.allCases.map(\.rawValue).joined(separator: ", "))"
  }
}
