import ArgumentParser
import Glibc
import HTTPServing
import HostProcess
import Logging

struct GatewayCheckConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config", abstract: "Check the configuration, keys, issuers and database.")

  @OptionGroup var options: GatewayOptions

  @Flag(help: "Skip the database.")
  var offline = false

  func run() async throws {
    let configuration = try options.read()
    StandardError.warn(
      configuration.warnings + Self.warnings(configuration), program: GatewayCommand.program)
    let logger = Logger(label: GatewayCommand.program) { _ in StandardErrorLog(level: .warning) }
    _ = try await GatewayService.Parts.configured(configuration, .host, logger)
    if !offline {
      StandardError.warn(try await DatabaseCheck.warnings(configuration), program: GatewayCommand.program)
    }
    print("the configuration is valid (listening on \(configuration.listen.name))")
  }

  /// A service's own directory is made when it starts, so that a missing one may be as it should.
  private static func warnings(_ configuration: GatewayConfiguration) -> [String] {
    var paths = [(GatewayKey.healthSocket, configuration.healthSocket)]
    if case .path(let path) = configuration.listen { paths.append((.listen, path)) }
    let missing = paths.compactMap { key, path -> String? in
      let directory = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
      return access(directory, F_OK) == 0 ? nil : "\(key.rawValue): directory \(directory) does not exist"
    }
    let mailers = [configuration.sendmail].compactMap { $0 }.filter { access($0, X_OK) != 0 }
      .map { "sendmail: \($0) is not a program that this user can run" }
    return missing + mailers
      + (configuration.signingKey == nil ? ["signing_key: not set, so no user can log in"] : [])
  }
}
