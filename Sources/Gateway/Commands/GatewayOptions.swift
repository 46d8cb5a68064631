import ArgumentParser
import ConfigurationFiles
import HostProcess

/// Where the configuration comes from.
struct GatewayOptions: ParsableArguments {
  static let defaultPath = "/etc/settled/gateway.conf"

  @Option(
    name: .customLong("config"),
    help:
      "The configuration file (default: \(defaultPath), if it exists). SETTLED_GATEWAY_... variables override it."
  )
  var file: String?

  /// Throws `Exit` with code 78 naming file, line and key, one line for each thing that is wrong.
  func read() throws -> GatewayConfiguration {
    do {
      return try GatewayConfiguration(try ConfigurationSources.ofProcess(path: file, defaultPath: Self.defaultPath))
    } catch let error as ConfigurationError {
      throw Exit(.configuration, error.description)
    }
  }
}
