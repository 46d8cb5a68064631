import TextCoding

/// A token taken apart, and nothing of it believed yet.
struct CompactToken: Sendable {
  /// Longer than any real token; a header of a request has at most 16 kB.
  static let bytesMax = 8 * 1024

  let algorithm: String
  let keyID: String?
  let claims: [String: StrictJSON]
  /// The signed part: header and payload as they were sent.
  let signed: ArraySlice<UInt8>
  let signature: [UInt8]

  /// Throws `.malformed` unless this is a JWS in compact form (RFC 7515) whose header and payload are JSON objects.
  ///
  /// A header with `crit` asks for something that is not understood here, and the RFC has it refused.
  init(_ bytes: [UInt8]) throws(TokenError) {
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = UnpaddedBase64.url.decode(parts[2]),
      let algorithm = header["alg"]?.text, header["crit"] == nil
    else { throw TokenError(.malformed) }
    if let keyID = header["kid"] {
      guard let keyID = keyID.text else { throw TokenError(.malformed) }
      self.keyID = keyID
    } else {
      keyID = nil
    }
    self.algorithm = algorithm
    self.claims = claims
    self.signature = signature
    signed = bytes[..<parts[1].endIndex]
  }

  private static func object(_ part: ArraySlice<UInt8>) -> [String: StrictJSON]? {
    UnpaddedBase64.url.decode(part).flatMap { try? StrictJSON($0) }?.members
  }
}
