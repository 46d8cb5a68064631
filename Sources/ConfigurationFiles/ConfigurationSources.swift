import Glibc
package import HostProcess
package import ServiceManager

/// Where the values of a configuration come from: a file, the environment, the service manager's credentials.
package struct ConfigurationSources<Key: ConfigurationKey>: Sendable {
  package let file: ConfigurationFile
  package let environment: [String: String]
  package let credentials: [Key: String]

  package init(file: ConfigurationFile, environment: [String: String], credentials: [Key: String] = [:]) {
    self.file = file
    self.environment = environment
    self.credentials = credentials
  }

  /// Reads what this process is given.
  ///
  /// `path` is the file that somebody named: it must be there. Without one the file at `defaultPath` may be missing.
  /// Throws `Exit` with code 78.
  package static func ofProcess(path: String?, defaultPath: String) throws(Exit) -> ConfigurationSources {
    let environment = Host.environment
    let manager = ServiceManager(environment: environment, pid: getpid())
    let file = try readFile(path ?? defaultPath, isRequired: path != nil)
    return ConfigurationSources(file: file, environment: environment, credentials: try credentials(manager))
  }

  private static func credentials(_ manager: ServiceManager) throws(Exit) -> [Key: String] {
    var found: [Key: String] = [:]
    for key in Key.allCases {
      guard let name = key.credential else { continue }
      do throws(ServiceManagerError) {
        found[key] = try manager.credential(name)
      } catch {
        throw Exit(error)
      }
    }
    return found
  }

  private static func readFile(_ path: String, isRequired: Bool) throws(Exit) -> ConfigurationFile {
    let text: String?
    do {
      text = try Host.text(ofFile: path)
    } catch {
      throw Exit(.configuration, "\(path): \(error)")
    }
    if let text { return ConfigurationFile(path: path, text: text, isPublic: Host.isPublic(path)) }
    guard !isRequired else { throw Exit(.configuration, "\(path): no such file") }
    return .none
  }
}

extension Exit {
  package init(_ error: ServiceManagerError) {
    self.init(.configuration, "\(error)")
  }
}
