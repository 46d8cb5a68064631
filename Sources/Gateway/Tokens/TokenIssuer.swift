import FoundationEssentials
import JWTKit
package import Postgres

/// Signs the gateway's own tokens.
///
/// Source: Gateway.docc/Callers.md. `iss` and `aud` are the public URL; what a caller is not is absent, never null.
package struct TokenIssuer: Sendable {
  /// How long a token of an account lasts.
  package static let lifetime = Duration.seconds(7 * 24 * 3600)

  private let key: SigningKey
  private let publicURL: String

  package init(_ key: SigningKey, publicURL: String) {
    self.key = key
    self.publicURL = publicURL
  }

  /// A token for this caller, from the whole second of `now` on. Issuer and subject of the caller are not looked at.
  ///
  /// Throws `TokenError` `.claim` where the token would not be taken back: an account without epoch, an id that is not
  /// positive, a name that is too long.
  package func token(for caller: Caller, lasting lifetime: Duration = Self.lifetime, at now: Timestamp) async throws
    -> String
  {
    try Self.check(caller)
    let issued = now.microseconds / 1_000_000
    let claims = OwnClaims(
      iss: publicURL, aud: publicURL, sub: caller.account.map { "\($0)" }, athlete: caller.athlete,
      username: caller.username, runner: caller.runner, reader: caller.reader, checkin: caller.checkin,
      roles: caller.roles.isEmpty ? nil : caller.roles.sorted().map(\.rawValue), epoch: caller.epoch, iat: issued,
      exp: issued + lifetime.components.seconds)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    let keys = try await JWTKeyCollection().add(
      ecdsa: ES256PrivateKey(pem: key.pem), kid: JWKIdentifier(string: key.id),
      serializer: DefaultJWTSerializer(jsonEncoder: encoder))
    return try await keys.sign(claims, kid: JWKIdentifier(string: key.id))
  }

  private static func check(_ caller: Caller) throws(TokenError) {
    let ids = [caller.account, caller.athlete, caller.runner, caller.reader]
    guard (caller.account == nil) == (caller.epoch == nil), caller.epoch ?? 0 >= 0,
      ids.allSatisfy({ $0 ?? 1 > 0 }),
      [caller.username, caller.checkin].allSatisfy({ $0.map(ClaimRules.isName) ?? true })
    else { throw TokenError(.claim) }
  }
}

/// The payload of an own token, as it is written. It is read claim by claim, by `ClaimRules`.
private struct OwnClaims: JWTPayload {
  let iss: String
  let aud: String
  let sub: String?
  let athlete: Int64?
  let username: String?
  let runner: Int64?
  let reader: Int64?
  let checkin: String?
  let roles: [String]?
  let epoch: Int64?
  let iat: Int64
  let exp: Int64

  func verify(using algorithm: some JWTAlgorithm) throws {}
}
