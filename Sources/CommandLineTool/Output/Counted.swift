/// Numbers with their nouns: `1 tick`, `2 ticks`.
enum Counted {
  static func text(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(number) " + (number == 1 ? one : many ?? one + "s")
  }

  /// The number; a dash if it is 0.
  static func dashed(_ number: Int) -> String { number == 0 ? "-" : String(number) }
}
