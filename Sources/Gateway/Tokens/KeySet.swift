import JWTKit

/// The keys of one issuer; no key of one issuer is ever tried on a token of another.
struct KeySet: Sendable {
  /// More keys than any issuer has at a time.
  static let countMax = 64

  /// The reason for which a text of keys is refused.
  struct Unusable: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  /// The keys of a document that cannot be used, one line each; RFC 7517, 5, has them passed over.
  private(set) var passedOver: [String] = []
  private var byID: [String: any JWTAlgorithm] = [:]
  /// The only key of an issuer whose tokens need not name one.
  private var only: (any JWTAlgorithm)?

  var count: Int { byID.count + (only == nil ? 0 : 1) }

  func key(for id: String?) -> (any JWTAlgorithm)? {
    if let only { return only }
    return id.flatMap { byID[$0] }
  }

  /// The gateway's own keys.
  init(own keys: [PublicSigningKey]) async throws {
    for key in keys {
      try await add(ecdsa: ES256PublicKey(pem: key.pem), key.id)
    }
  }

  /// A secret of HS256, for any `kid` of a token.
  init(secret: String) async throws {
    only = try await JWTKeyCollection().add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256).getKey()
  }

  /// The keys of a JWKS document (RFC 7517), or of a document that names certificates in PEM by their `kid`,
  /// which Google publishes for Firebase.
  ///
  /// Keys of other types and uses are passed over: issuers publish them side by side. One that cannot be used is, too,
  /// and stands in `passedOver`. The dates of a certificate are not looked at; the issuer takes it out of the document.
  /// Throws `Unusable`, naming what is wrong, where no key is left of those that cannot be used.
  init(document: [UInt8], for algorithm: SigningAlgorithm) async throws {
    let json: StrictJSON
    do {
      json = try StrictJSON(document)
    } catch {
      throw Unusable(description: "is not JSON: \(error)")
    }
    guard let members = json.members else { throw Unusable(description: "is not a JSON object") }
    if let keys = members["keys"] {
      guard let keys = keys.elements else { throw Unusable(description: "keys is not a list") }
      guard keys.count <= Self.countMax else { throw Unusable(description: "has more than \(Self.countMax) keys") }
      for (index, key) in keys.enumerated() where Self.isFor(algorithm, key) {
        do {
          try await add(key, algorithm)
        } catch {
          passedOver.append("key \(index + 1) cannot be used")
        }
      }
    } else {
      guard members.count <= Self.countMax else { throw Unusable(description: "has more than \(Self.countMax) keys") }
      for (id, pem) in members.sorted(by: { $0.key < $1.key }) {
        do {
          try await add(certificate: pem.text ?? "", id, algorithm)
        } catch {
          passedOver.append("has no keys member, and one of its members is not a certificate for \(algorithm.rawValue)")
        }
      }
    }
    if count == 0, let first = passedOver.first { throw Unusable(description: first) }
  }

  private static func isFor(_ algorithm: SigningAlgorithm, _ key: StrictJSON) -> Bool {
    let member: (String) -> String? = { key.member([$0])?.text }
    guard member("use") ?? "sig" == "sig", member("alg") ?? algorithm.rawValue == algorithm.rawValue else {
      return false
    }
    switch algorithm {
    case .es256: return member("kty") == "EC" && member("crv") == "P-256"
    case .rs256: return member("kty") == "RSA"
    case .hs256: return false
    }
  }

  private mutating func add(_ key: StrictJSON, _ algorithm: SigningAlgorithm) async throws {
    func member(_ name: String) throws -> String {
      guard let text = key.member([name])?.text else { throw Unusable(description: "has no \(name)") }
      return text
    }
    let id = try member("kid")
    guard byID[id] == nil else { throw Unusable(description: "has a duplicate kid") }
    switch algorithm {
    case .es256: try await add(ecdsa: ES256PublicKey(parameters: (member("x"), member("y"))), id)
    case .rs256: try await add(rsa: Insecure.RSA.PublicKey(modulus: member("n"), exponent: member("e")), id)
    case .hs256: throw Unusable(description: "is a secret")
    }
  }

  private mutating func add(certificate: String, _ id: String, _ algorithm: SigningAlgorithm) async throws {
    switch algorithm {
    case .es256: try await add(ecdsa: ES256PublicKey(certificate: certificate), id)
    case .rs256: try await add(rsa: Insecure.RSA.PublicKey(certificatePEM: certificate), id)
    case .hs256: throw Unusable(description: "is a secret")
    }
  }

  private mutating func add(ecdsa key: ES256PublicKey, _ id: String) async throws {
    byID[id] = try await JWTKeyCollection().add(ecdsa: key).getKey()
  }

  private mutating func add(rsa key: Insecure.RSA.PublicKey, _ id: String) async throws {
    byID[id] = try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256).getKey()
  }
}
