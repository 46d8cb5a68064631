/// A fault of one call.
enum Fault: String, CaseIterable, Codable, CodingKeyRepresentable {
  /// The answer comes late.
  case slow
  /// Nothing is done, and no answer ever comes.
  case hang
  /// The connection is reset, with nothing done or with everything done.
  case resetBefore, resetAfter
  /// All is done; half of the body comes, then the end of the connection.
  case truncate
  /// All is done; the body is HTML, or no JSON.
  case wrongType, garbage
  /// Nothing is done.
  case status500
  /// All is done, and the answer says 503.
  case status503After
  /// All is done, and the body does not end.
  case tooLarge

  /// The fault of a call by its number, the same for the same seed; at most one.
  static func of(call number: UInt64, seed: UInt64, _ probabilities: [Fault: Double]) -> Fault? {
    var left = draw(seed, number)
    for fault in allCases {
      left -= probabilities[fault] ?? 0
      if left < 0 { return fault }
    }
    return nil
  }

  /// A number from 0 to less than 1 (SplitMix64).
  private static func draw(_ seed: UInt64, _ number: UInt64) -> Double {
    var mixed = seed &+ (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}
