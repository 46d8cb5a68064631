/// An exact rational number for slow reference computations; its denominator is positive.
struct Fraction: Comparable {
  let numerator: Int128
  let denominator: Int128

  init(_ numerator: Int128, over denominator: Int128 = 1) {
    var (a, b) = (numerator.magnitude, denominator.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    let divisor = Int128(a) * (denominator < 0 ? -1 : 1)
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  static func + (left: Self, right: Self) -> Self {
    Self(
      left.numerator * right.denominator + right.numerator * left.denominator,
      over: left.denominator * right.denominator)
  }

  static func - (left: Self, right: Self) -> Self { left + Self(-right.numerator, over: right.denominator) }

  static func * (left: Self, right: Self) -> Self {
    Self(left.numerator * right.numerator, over: left.denominator * right.denominator)
  }

  static func / (left: Self, right: Self) -> Self { left * Self(right.denominator, over: right.numerator) }

  static func < (left: Self, right: Self) -> Bool {
    left.numerator * right.denominator < right.numerator * left.denominator
  }

  static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

  /// Rounded half up, for numbers that are not negative.
  var roundedHalfUp: Int128 { (numerator * 2 + denominator) / (denominator * 2) }
}
