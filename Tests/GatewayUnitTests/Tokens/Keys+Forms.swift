import Crypto
import CryptoExtras
import GatewaySupport
import TextCoding

@testable import Gateway

extension Keys {
  static func own() throws -> SigningKey { try SigningKey(pem: ecPKCS8) }

  static func rsa() throws -> _RSA.Signing.PrivateKey { try _RSA.Signing.PrivateKey(pemRepresentation: rsaPrivate) }

  /// One key of a JWKS document.
  static func jwk(_ key: P256.Signing.PublicKey, _ id: String) -> String {
    let point = key.rawRepresentation
    let (x, y) = (UnpaddedBase64.url.encode(point.prefix(32)), UnpaddedBase64.url.encode(point.suffix(32)))
    return #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","kid":"\#(id)"}"#
  }

  static func jwk(_ key: _RSA.Signing.PublicKey, _ id: String) throws -> String {
    let numbers = try key.getKeyPrimitives()
    let (n, e) = (UnpaddedBase64.url.encode(numbers.modulus), UnpaddedBase64.url.encode(numbers.publicExponent))
    return #"{"kty":"RSA","alg":"RS256","use":"sig","n":"\#(n)","e":"\#(e)","kid":"\#(id)"}"#
  }
}

extension Forge {
  /// The claims of a token in clear, by name.
  static func claims(of token: String) throws -> [String: StrictJSON] {
    try CompactToken(Array(token.utf8)).claims
  }
}
