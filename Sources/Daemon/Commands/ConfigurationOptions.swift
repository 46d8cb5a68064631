import ArgumentParser
import ConfigurationFiles
import HostProcess

/// The source of the configuration.
struct ConfigurationOptions: ParsableArguments {
  static let defaultPath = "/etc/settled/settled.conf"

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: \(defaultPath), if it exists). SETTLED_... variables override it.")
  var file: String?

  /// Throws `Exit` with code 78 naming file, line and key, one line for each error.
  func read() throws -> Configuration {
    do {
      return try Configuration(
        try ConfigurationSources.ofProcess(path: file, defaultPath: Self.defaultPath), hostName: Host.name)
    } catch let error as ConfigurationError {
      throw Exit(.configuration, error.description)
    }
  }
}
