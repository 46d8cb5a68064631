/// Why a token is refused.
///
/// The answer is 401 for every code. Code and text are safe to show: neither repeats anything of the token.
package struct TokenError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// The header is not of the form `Bearer TOKEN`.
    case scheme
    /// The token is longer than any that is signed here.
    case tooLong = "too-long"
    /// This is no signed token: parts, encoding, JSON or header.
    case malformed
    /// No such issuer is known.
    case issuer
    /// The header names another algorithm than the issuer's.
    case algorithm
    /// The header names no key of the issuer.
    case key
    case signature
    /// The token was made for somebody else.
    case audience
    case expired
    /// The token was issued in the future, or is not valid yet.
    case notYet = "not-yet"
    /// A claim is missing, or is not what it has to be.
    case claim
  }

  package let code: Code

  package init(_ code: Code) {
    self.code = code
  }

  package var description: String {
    switch code {
    case .scheme: "the Authorization header must be: Bearer TOKEN"
    case .tooLong: "the token is too long"
    case .malformed: "the token is not a signed JWT"
    case .issuer: "the token's issuer is unknown"
    case .algorithm: "the token's algorithm does not match its issuer's"
    case .key: "the token's key does not belong to its issuer"
    case .signature: "the token's signature is invalid"
    case .audience: "the token is for another audience"
    case .expired: "the token has expired"
    case .notYet: "the token is not valid yet"
    case .claim: "a claim in the token is missing or invalid"
    }
  }
}
