import TextCoding

/// The secret of one run: 256 bits, which stand in the fragment of the printed address.
struct Token: Sendable {
  let text: String

  init(using random: inout some RandomNumberGenerator) {
    let bytes = (0..<4).flatMap { _ in
      let word: UInt64 = random.next()
      return (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
    }
    text = UnpaddedBase64.url.encode(bytes)
  }

  /// Whether an `Authorization` is `Bearer` with this token; takes as long for every text of the right length.
  func admits(_ authorization: String) -> Bool {
    let (given, wanted) = (Array(authorization.utf8), Array(("Bearer " + text).utf8))
    guard given.count == wanted.count else { return false }
    return zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
