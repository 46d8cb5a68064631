import ArgumentParser

/// Where the configuration comes from.
struct ConfigurationOptions: ParsableArguments {
  static let defaultPath = "/etc/settled/settled.conf"

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: \(defaultPath), where there is one). SETTLED_... variables override it.")
  var file: String?

  /// Throws `Exit` with code 78 naming file, line and key.
  func read() throws -> Configuration {
    do {
      return try Configuration(file: try readFile(), environment: Host.environment, hostName: Host.name)
    } catch let error as ConfigurationError {
      throw Exit(.configuration, error.description)
    }
  }

  private func readFile() throws -> ConfigurationFile {
    let path = file ?? Self.defaultPath
    let text: String?
    do {
      text = try Host.text(ofFile: path)
    } catch {
      throw Exit(.configuration, "\(path): cannot be read")
    }
    if let text { return try ConfigurationFile(path: path, text: text) }
    guard file == nil else { throw Exit(.configuration, "\(path): there is no such file") }
    return .none
  }
}
