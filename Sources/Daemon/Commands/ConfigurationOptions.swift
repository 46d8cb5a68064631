import ArgumentParser
import Glibc
import ServiceManager

/// Where the configuration comes from.
struct ConfigurationOptions: ParsableArguments {
  static let defaultPath = "/etc/settled/settled.conf"

  @Option(
    name: .customLong("config"),
    help: "The configuration file (default: \(defaultPath), where there is one). SETTLED_... variables override it.")
  var file: String?

  /// Throws `Exit` with code 78 naming file, line and key, one line for each thing that is wrong.
  func read() throws -> Configuration {
    do {
      return try Configuration(
        file: try readFile(), environment: Host.environment, credentials: try credentials(), hostName: Host.name)
    } catch let error as ConfigurationError {
      throw Exit(.configuration, error.description)
    }
  }

  private func credentials() throws -> [ConfigurationKey: String] {
    let manager = ServiceManager(environment: Host.environment, pid: getpid())
    var found: [ConfigurationKey: String] = [:]
    for key in ConfigurationKey.allCases {
      do throws(ServiceManagerError) {
        found[key] = try key.credential.flatMap { name throws(ServiceManagerError) in try manager.credential(name) }
      } catch {
        throw Exit(error)
      }
    }
    return found
  }

  private func readFile() throws -> ConfigurationFile {
    let path = file ?? Self.defaultPath
    let text: String?
    do {
      text = try Host.text(ofFile: path)
    } catch {
      throw Exit(.configuration, "\(path): \(error)")
    }
    if let text { return ConfigurationFile(path: path, text: text, isPublic: Host.isPublic(path)) }
    guard file == nil else { throw Exit(.configuration, "\(path): there is no such file") }
    return .none
  }
}
