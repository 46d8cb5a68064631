import ConfigurationFiles
import HostProcess
import Logging

extension GatewayService.Parts {
  /// The routes and issuers of a configuration. Throws `Exit` with code 78 where a key or the file of issuers is wrong.
  ///
  /// Without a signing key no token is made here, and only other issuers' are good. `passwords`: what a hash costs.
  static func configured(
    _ configuration: GatewayConfiguration, _ surroundings: Surroundings, _ logger: Logger,
    passwords: ScryptCost = .standard
  ) async throws -> GatewayService.Parts {
    var issuers: [Issuer] = []
    let keys = try configuration.signingKey.map { try Self.keys($0, configuration) } ?? []
    if !keys.isEmpty { issuers.append(try await own(keys, configuration)) }
    if let path = configuration.issuersFile {
      do {
        let file = try await IssuersFile(path: path, publicURL: configuration.publicURL, now: surroundings.now) {
          seen in
          note(seen, logger)
        }
        for warning in file.warnings { logger.warning("\(warning)") }
        issuers += file.issuers
      } catch {
        throw Exit(.configuration, "\(error)")
      }
    }
    return GatewayService.Parts(
      routes: try routes(configuration, surroundings, logger, passwords),
      callers: TokenVerifier(issuers, clock: surroundings.wall), keys: keys)
  }

  /// All that the documents name.
  private static func routes(
    _ configuration: GatewayConfiguration, _ surroundings: Surroundings, _ logger: Logger, _ cost: ScryptCost
  ) throws -> [Route] {
    let tokens = try configuration.signingKey.map {
      TokenIssuer(try SigningKey(pem: $0), publicURL: configuration.publicURL)
    }
    let signIn = SignIn(
      passwords: PasswordHasher(
        cost: cost, placesMax: configuration.limits.passwordQueue, random: surroundings.randomBytes), tokens: tokens,
      mailer: configuration.sendmail.map { Mailer(program: $0, logger: logger, sleep: surroundings.sleep) },
      publicURL: configuration.publicURL, surroundings: surroundings)
    let webhooks = Webhooks(surroundings, answerAtMost: configuration.limits.hint)
    return Racepace.routes + webhooks.routes + signIn.racepace + Team.routes + GRead.routes + [signIn.gread]
      + CheckIn.routes
  }

  /// The public keys of own tokens, the current one first.
  private static func keys(_ pem: String, _ configuration: GatewayConfiguration) throws -> [PublicSigningKey] {
    var key = GatewayKey.signingKey
    do {
      let present = try SigningKey(pem: pem).publicKey
      key = .signingKeysOld
      return [present] + (try configuration.oldSigningKeys.map { try PublicSigningKey.all(pem: $0) } ?? [])
    } catch {
      throw Exit(.configuration, "credential \(key.credential ?? ""): \(error)")
    }
  }

  private static func own(
    _ keys: [PublicSigningKey], _ configuration: GatewayConfiguration
  ) async throws -> Issuer {
    do {
      return try await Issuer.own(keys, publicURL: configuration.publicURL)
    } catch {
      throw Exit(.configuration, "credential \(GatewayKey.signingKey.credential ?? ""): \(error)")
    }
  }

  private static func note(_ observation: TokenObservation, _ logger: Logger) {
    switch observation {
    case .keysRead(let issuer, let count):
      logger.notice("an issuer's keys were reloaded", metadata: ["issuer": "\(issuer)", "count": "\(count)"])
    case .keyPassedOver(let issuer, let problem):
      logger.warning(
        "an issuer's key cannot be used and is ignored",
        metadata: ["issuer": "\(issuer)", "problem": "\(problem)"])
    case .keysUnusable(let issuer, let problem):
      logger.error(
        "an issuer's new keys cannot be used: the previous ones stay in effect",
        metadata: ["issuer": "\(issuer)", "problem": "\(problem)"])
    }
  }
}
