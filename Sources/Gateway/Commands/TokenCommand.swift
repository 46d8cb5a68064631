import ArgumentParser
import Glibc
import HostProcess
import Logging
import ServiceManager

/// Signs a token without an account. It works where the signing key is at hand, and is logged.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Sign and print a token without an account, for curl, tests and back ends.")

  @OptionGroup var options: GatewayOptions
  @OptionGroup var token: TokenOptions

  func run() async throws {
    let configuration = try options.read()
    guard let pem = configuration.signingKey else {
      throw Exit(
        .configuration,
        "neither the gateway-signing-key credential nor the SETTLED_GATEWAY_SIGNING_KEY variable is set")
    }
    let key: SigningKey
    do {
      key = try SigningKey(pem: pem)
    } catch {
      throw Exit(.configuration, "credential gateway-signing-key: \(error)")
    }
    let issuer = TokenIssuer(key, publicURL: configuration.publicURL)
    let (text, line) = try await token.token(issuer, at: Surroundings.host.wall())
    let manager = ServiceManager(environment: Host.environment, pid: getpid())
    let logger = Logger(label: GatewayCommand.program) { _ in
      JournalLog(manager, program: GatewayCommand.program, level: .notice)
    }
    logger.notice("\(line)")
    print(text)
  }
}
