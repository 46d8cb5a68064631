import Crypto
import FoundationEssentials
import JWTKit
package import Postgres

/// Verifies bearer tokens against the issuers that are known.
///
/// The issuer that a token names decides its algorithm and its keys; both are compared before any key is tried
/// (RFC 8725, 3.1 and 3.2).
package final class TokenVerifier: CallerSource {
  private let issuers: [String: Issuer]
  private let clock: @Sendable () -> Timestamp
  private let verified = VerifiedTokens()

  /// Issuers have different `iss`. `clock` is real time, also on a simulated database.
  package init(_ issuers: [Issuer], clock: @escaping @Sendable () -> Timestamp) {
    self.issuers = Dictionary(uniqueKeysWithValues: issuers.map { ($0.iss, $0) })
    self.clock = clock
  }

  package func caller(of authorization: String?) async throws(TokenError) -> Caller? {
    guard let authorization else { return nil }
    return try await caller(token: try Self.token(of: authorization))
  }

  /// The bytes after `Bearer`, whose letters may be of either case (RFC 9110, 11.1).
  private static func token(of authorization: String) throws(TokenError) -> [UInt8] {
    guard authorization.utf8.count <= CompactToken.bytesMax + 64 else { throw TokenError(.tooLong) }
    let parts = authorization.utf8.split(separator: UInt8(ascii: " "))
    guard parts.count == 2, String(parts[0])?.lowercased() == "bearer" else { throw TokenError(.scheme) }
    guard parts[1].count <= CompactToken.bytesMax else { throw TokenError(.tooLong) }
    return Array(parts[1])
  }

  private func caller(token bytes: [UInt8]) async throws(TokenError) -> Caller {
    let now = Double(clock().microseconds) / 1e6
    let digest = SHA256.hash(data: bytes)
    if let known = verified.find(digest) {
      guard now < known.expiry else { throw TokenError(.expired) }
      guard await known.issuer.keys.key(for: known.keyID).generation != known.generation else { return known.caller }
    }
    let token = try CompactToken(bytes)
    guard let iss = token.claims["iss"]?.text, let issuer = issuers[iss] else { throw TokenError(.issuer) }
    guard token.algorithm == issuer.algorithm.rawValue else { throw TokenError(.algorithm) }
    let (key, generation) = await issuer.keys.key(for: token.keyID)
    guard let key else { throw TokenError(.key) }
    guard (try? key.verify(token.signature, signs: token.signed)) == true else { throw TokenError(.signature) }

    let rules = ClaimRules(claims: token.claims)
    let expiry = try rules.checkValidity(audience: issuer.audience, at: now)
    let caller = try rules.caller(of: issuer)
    verified.keep(
      .init(caller: caller, expiry: expiry, issuer: issuer, keyID: token.keyID, generation: generation), digest)
    return caller
  }
}
