/// The algorithms that an issuer can be pinned to. `none` and all others are refused.
enum SigningAlgorithm: String, Sendable, CaseIterable {
  case es256 = "ES256"
  case hs256 = "HS256"
  case rs256 = "RS256"
}
