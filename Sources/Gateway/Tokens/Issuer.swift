import JWTKit

/// Somebody whose tokens are believed, and how far.
package struct Issuer: Sendable {
  /// An issuer of tokens, and how its tokens describe their callers.
  enum Identity: Sendable {
    /// Everything: these are the gateway's own tokens.
    case own
    /// One identity only, from one claim; never an account, a role, or another identity.
    case foreign(ForeignIdentity, claim: [String])
  }

  enum Keys: Sendable {
    case fixed(KeySet)
    case file(KeyFile)

    /// The key of this id, and a number that changes when keys do.
    func key(for id: String?) async -> (key: (any JWTAlgorithm)?, generation: Int) {
      switch self {
      case .fixed(let keys): (keys.key(for: id), 0)
      case .file(let file): await file.key(for: id)
      }
    }
  }

  /// The operators' name for it; `Caller.ownIssuer` for the gateway itself.
  package let name: String
  /// The exact `iss` of its tokens.
  package let iss: String
  /// One of the audiences that its tokens must name; nil: not looked at.
  let audience: String?
  let algorithm: SigningAlgorithm
  let keys: Keys
  let identity: Identity

  init(name: String, iss: String, audience: String?, algorithm: SigningAlgorithm, keys: Keys, identity: Identity) {
    self.name = name
    self.iss = iss
    self.audience = audience
    self.algorithm = algorithm
    self.keys = keys
    self.identity = identity
  }

  /// The gateway itself: its present key and former ones. `publicURL` is `iss` and `aud` of its tokens.
  package static func own(_ keys: [PublicSigningKey], publicURL: String) async throws -> Issuer {
    Issuer(
      name: Caller.ownIssuer, iss: publicURL, audience: publicURL, algorithm: .es256,
      keys: .fixed(try await KeySet(own: keys)), identity: .own)
  }
}

/// The kind of identity that tokens of another issuer give.
enum ForeignIdentity: String, Sendable, CaseIterable {
  case athlete, checkin, reader
}
