package import Crypto

/// The private key that signs the gateway's own tokens: ES256, on the curve P-256.
///
/// Source: Gateway.docc/Callers.md; credential `gateway-signing-key`.
package struct SigningKey: Sendable {
  package let key: P256.Signing.PrivateKey

  package var publicKey: PublicSigningKey { PublicSigningKey(key: key.publicKey) }

  /// The `kid` of tokens.
  package var id: String { publicKey.id }

  var pem: String { key.pemRepresentation }

  /// Reads `PRIVATE KEY` (PKCS #8) or `EC PRIVATE KEY` (SEC 1), perhaps after `EC PARAMETERS`, as OpenSSL writes them.
  package init(pem: String) throws(SigningKeyError) {
    let blocks = PEM.blocks(of: pem)?.filter { $0.label != "EC PARAMETERS" } ?? []
    guard blocks.count == 1, blocks[0].label.hasSuffix("PRIVATE KEY") else {
      throw SigningKeyError("must be one private key in PEM format")
    }
    guard let key = try? P256.Signing.PrivateKey(pemRepresentation: blocks[0].text) else {
      throw SigningKeyError("must be an unencrypted P-256 private key (ES256)")
    }
    self.key = key
  }
}
