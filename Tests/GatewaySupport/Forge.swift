package import Crypto
package import CryptoExtras
import TextCoding

/// Tokens made by hand, good and bad ones: header, payload and signature are those that a test gives.
package enum Forge {
  package typealias Signer = (_ signed: [UInt8]) throws -> [UInt8]

  package static func token(_ header: String, _ payload: String, _ sign: Signer) rethrows -> String {
    let signed = UnpaddedBase64.url.encode(header.utf8) + "." + UnpaddedBase64.url.encode(payload.utf8)
    return signed + "." + UnpaddedBase64.url.encode(try sign(Array(signed.utf8)))
  }

  package static func es256(_ key: P256.Signing.PrivateKey) -> Signer {
    { Array(try key.signature(for: $0).rawRepresentation) }
  }

  package static func rs256(_ key: _RSA.Signing.PrivateKey) -> Signer {
    { Array(try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation) }
  }

  package static func hs256(_ secret: String) -> Signer {
    { Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: Array(secret.utf8)))) }
  }
}
