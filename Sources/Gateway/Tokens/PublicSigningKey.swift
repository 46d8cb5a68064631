package import Crypto
import TextCoding

/// A public key that own tokens are verified with: the present one's, or a former one's.
package struct PublicSigningKey: Sendable {
  /// So many former keys may there be.
  package static let countMax = 16

  package let key: P256.Signing.PublicKey

  /// The first 16 hexadecimal digits of the SHA-256 of the key in DER (SubjectPublicKeyInfo): those that
  /// `openssl pkey -pubin -outform DER | sha256sum` prints first.
  package var id: String {
    SHA256.hash(data: key.derRepresentation).prefix(8)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  var pem: String { key.pemRepresentation }

  init(key: P256.Signing.PublicKey) {
    self.key = key
  }

  /// All keys of a text with one `PUBLIC KEY` block for each: credential `gateway-signing-keys-old`.
  package static func all(pem: String) throws(SigningKeyError) -> [PublicSigningKey] {
    guard let blocks = PEM.blocks(of: pem), !blocks.isEmpty else {
      throw SigningKeyError("must be public keys in PEM format")
    }
    guard blocks.count <= countMax else { throw SigningKeyError("has more than \(countMax) keys") }
    var keys: [PublicSigningKey] = []
    for (index, block) in blocks.enumerated() {
      guard !block.label.hasSuffix("PRIVATE KEY") else {
        throw SigningKeyError("key \(index + 1) is private: supply its public key (openssl pkey -pubout)")
      }
      guard let key = try? P256.Signing.PublicKey(pemRepresentation: block.text) else {
        throw SigningKeyError("key \(index + 1) is not a P-256 public key (ES256)")
      }
      keys.append(PublicSigningKey(key: key))
    }
    return keys
  }

  /// The document of `/.well-known/jwks.json` (RFC 7517): one entry for each key, the first one first.
  package static func jwks(of keys: [PublicSigningKey]) -> String {
    var seen: Set<String> = []
    let entries = keys.filter { seen.insert($0.id).inserted }.map { key in
      let point = key.key.rawRepresentation
      let (x, y) = (UnpaddedBase64.url.encode(point.prefix(32)), UnpaddedBase64.url.encode(point.suffix(32)))
      return #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","use":"sig","alg":"ES256","kid":"\#(key.id)"}"#
    }
    return #"{"keys":["# + entries.joined(separator: ",") + "]}"
  }
}
