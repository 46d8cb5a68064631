import Crypto
import CryptoExtras
import Foundation
import TextCoding

@testable import Gateway

/// Tokens made by hand, good and bad ones: header, payload and signature are whatever a test says.
enum Forge {
  typealias Signer = (_ signed: [UInt8]) throws -> [UInt8]

  static func token(_ header: String, _ payload: String, _ sign: Signer) rethrows -> String {
    let signed = UnpaddedBase64.url.encode(header.utf8) + "." + UnpaddedBase64.url.encode(payload.utf8)
    return signed + "." + UnpaddedBase64.url.encode(try sign(Array(signed.utf8)))
  }

  static func es256(_ key: P256.Signing.PrivateKey) -> Signer {
    { Array(try key.signature(for: $0).rawRepresentation) }
  }

  static func rs256(_ key: _RSA.Signing.PrivateKey) -> Signer {
    { Array(try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation) }
  }

  static func hs256(_ secret: String) -> Signer {
    { Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: Array(secret.utf8)))) }
  }

  /// The claims of a token in clear, by name.
  static func claims(of token: String) throws -> [String: StrictJSON] {
    try CompactToken(Array(token.utf8)).claims
  }
}
