import ConfigurationFiles
import HTTPServing
import Testing

@testable import Gateway

@Suite("The gateway's configuration") struct GatewayConfigurationTests {
  private static let good = "database_url = postgresql:///settled\npublic_url = https://settled.example\n"

  private static func read(
    _ text: String, _ environment: [String: String] = [:], _ credentials: [GatewayKey: String] = [:]
  ) throws(ConfigurationError) -> GatewayConfiguration {
    try GatewayConfiguration(
      ConfigurationSources(
        file: ConfigurationFile(path: "f", text: text), environment: environment, credentials: credentials))
  }

  @Test func `the gateway's configuration has defaults for all keys but the database and public URL`() throws {
    let configuration = try Self.read(Self.good)

    #expect(configuration.listen == .address("127.0.0.1", port: 8080))
    #expect(configuration.systems == Set(System.allCases) && configuration.corsOrigins.isEmpty)
    #expect(configuration.limits == GatewayLimits())
    #expect(configuration.warnings.isEmpty)
    #expect(throws: ConfigurationError.self) { try Self.read("") }
  }

  @Test func `variables and credentials override the gateway's file`() throws {
    let configuration = try Self.read(
      Self.good
        + "listen = /run/a.sock\nsystems = gread, checkin\ncors_origins = https://a.example https://b.example\n",
      ["SETTLED_GATEWAY_LISTEN": "[::1]:80", "SETTLED_GATEWAY_POOL_SIZE": "3", "SETTLED_DATABASE_URL": "x"],
      [.databaseURL: "postgresql:///other", .signingKey: "PEM"])

    #expect(configuration.listen == .address("::1", port: 80))
    #expect(configuration.systems == [.gread, .checkin] && configuration.corsOrigins.count == 2)
    #expect(configuration.limits.poolSize == 3)
    #expect(configuration.databaseURL == "postgresql:///other" && configuration.signingKey == "PEM")
  }

  @Test(
    arguments: [
      ("colour = red", "f:3: colour: is not a key"), ("listen = localhost:8080", "f:3: listen: must be ADDRESS:PORT"),
      ("listen = 8080", "f:3: listen: must be ADDRESS:PORT"),
      ("systems = racing", "f:3: systems: racing is not one of"),
      ("cors_origins = *", "f:3: cors_origins: * is not an origin"),
      ("cors_origins = https://a.example/x", "f:3: cors_origins: https://a.example/x is not an origin"),
      ("trusted_proxies = 10.0.0.1/8", "f:3: trusted_proxies: 10.0.0.1/8 is not an address or a network"),
      ("max_body_bytes = 64k", "f:3: max_body_bytes: must be a whole number from 1024 to 1048576"),
      ("listen_group = no-such-group", "f:3: listen_group: group no-such-group does not exist"),
      ("max_connections_per_address = 0", "f:3: max_connections_per_address: must be"),
      ("max_connections = 0", "f:3: max_connections: must be"), ("log_level = loud", "f:3: log_level: must be one of"),
      ("issuers = issuers.json", "f:3: issuers: must be an absolute path"),
      ("sendmail = mail", "f:3: sendmail: must be an absolute path"),
      ("read_database_url = postgresql://[", "f:3: read_database_url: the database URL cannot be parsed"),
      ("health_socket = health", "f:3: health_socket: must be an absolute path"),
      ("public_url = https://b.example", "f:3: public_url: is already set at f:2"),
    ])
  func `a bad value of the gateway is reported with file, line and key`(line: String, problem: String) {
    let error = #expect(throws: ConfigurationError.self) { try Self.read(Self.good + line + "\n") }
    #expect(error?.problems.count == 1 && error?.description.hasPrefix(problem) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: ["settled.example", "https://a.example/", "ftp://a.example", "https://u:p@a.example", ""])
  func `a public URL must be one that links can begin with`(url: String) {
    #expect(throws: ConfigurationError.self) { try Self.read("database_url = postgresql:///a\npublic_url = \(url)\n") }
  }

  @Test func `an unknown variable of the gateway is an error, and the daemon's variables are ignored`() {
    let error = #expect(throws: ConfigurationError.self) {
      try Self.read(Self.good, ["SETTLED_GATEWAY_LISTN": "x", "SETTLED_NODE": "a"])
    }
    #expect(error?.problems == ["environment: SETTLED_GATEWAY_LISTN: does not match any key"])
  }

  @Test func `a secret of the gateway beside its credential causes a warning`() throws {
    let text = "database_url = postgresql://u:p@h/d\npublic_url = https://settled.example\nsigning_key = x\n"

    #expect(try Self.read(text).warnings.count == 2)
  }

  @Test func `each default of the gateway's configuration is in its struct too`() throws {
    let configuration = try Self.read(Self.good)
    #expect(configuration.limits == GatewayLimits())
    #expect(GatewayKey.allCases.allSatisfy { $0.variable.hasPrefix("SETTLED_GATEWAY_") })
  }
}
